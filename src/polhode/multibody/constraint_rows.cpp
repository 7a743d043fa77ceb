#include "polhode/multibody/constraint_rows.h"

#include "polhode/core/index.h"

namespace polhode {

void constraint_rows(const Model& model, double t, std::span<const double> y, std::vector<ListedRow>& rows) {
  rows.resize(model.row_count());
  std::array<ConstraintRow<double>, kMostRows> own;
  for (const ModelConstraint& constraint : model.constraints()) {
    model.rows(constraint, t, y, own.data());
    for (std::size_t r = 0; r < at(constraint.rows); ++r) {
      ListedRow& row = rows[at(constraint.first_row) + r];
      static_cast<ConstraintRow<double>&>(row) = own[r];
      row.id = constraint.id;
      for (std::size_t s = 0; s < kMostSides; ++s) {
        row.bodies[s] = s < constraint.ends.size() ? constraint.ends[s].body : kGround;
      }
      row.on_positions = model.with(constraint.id, [&](const auto& one) { return constraint::on_positions(one, r); });
    }
  }
}

}  // namespace polhode
