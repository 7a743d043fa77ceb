// Result files: every format gives back what was written, in every order of conversions; an attitude message means what
// the standard says.
#include "polhode/math/degree.h"
#include "polhode/rotation.h"
#include "support/small_results.h"

#include <algorithm>
#include <bit>
#include <cstdint>

using namespace small_results;

namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_bits(x, y); });
}

/// CRs that stand alone do not survive comments of CSV, and ours has none.
void check_same(const Whole& a, const Whole& b) {
  CHECK(io::to_json(a.head) == io::to_json(b.head));
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) { CHECK(same_bits(a.rows[i], b.rows[i])); }
  REQUIRE(a.events.size() == b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    CHECK(a.events[i].first == b.events[i].first);
    const io::ResultEvent& x = a.events[i].second;
    const io::ResultEvent& y = b.events[i].second;
    CHECK(x.name == y.name);
    CHECK(same_bits({x.t, x.e_NB.e0, x.e_NB.ev.x, x.e_NB.ev.y, x.e_NB.ev.z, x.w_B.x, x.w_B.y, x.w_B.z},
                    {y.t, y.e_NB.e0, y.e_NB.ev.x, y.e_NB.ev.y, y.e_NB.ev.z, y.w_B.x, y.w_B.y, y.w_B.z}));
  }
}

/// An attitude message of one moment.
std::string message(const std::string& metadata, const std::string& numbers, const char* version = "1.0") {
  return std::string("CCSDS_AEM_VERS = ") + version +
         "\nCREATION_DATE = 2026-01-31T12:00:00\nORIGINATOR = US\nMETA_START\nOBJECT_NAME = BODY\nOBJECT_ID = 1\n"
         "TIME_SYSTEM = TAI\nSTART_TIME = 2026-01-31T12:00:00\nSTOP_TIME = 2026-01-31T12:00:00\n" +
         metadata + "META_STOP\nDATA_START\n2026-01-31T12:00:00 " + numbers + "\nDATA_STOP\n";
}
const std::string kFrames = "REF_FRAME_A = EME2000\nREF_FRAME_B = SC_BODY_1\n";
const std::string kDirect = kFrames + "ATTITUDE_DIR = A2B\n";
const std::string kLast = "ATTITUDE_TYPE = QUATERNION\nQUATERNION_TYPE = LAST\n";

std::vector<double> row_of(const Folder& folder, const std::string& text) {
  write_bytes(folder("message.aem"), text);
  return read(folder("message.aem")).rows.at(0);
}
EulerParameters<double> attitude(const std::vector<double>& row) { return {row[1], {row[2], row[3], row[4]}}; }

/// The matrix that the standard makes of a quaternion: takes components in A to components in B.
Mat3<double> standard_matrix(double q1, double q2, double q3, double qc) {
  Mat3<double> m;
  m(0, 0) = q1 * q1 - q2 * q2 - q3 * q3 + qc * qc;
  m(0, 1) = 2 * (q1 * q2 + q3 * qc);
  m(0, 2) = 2 * (q1 * q3 - q2 * qc);
  m(1, 0) = 2 * (q1 * q2 - q3 * qc);
  m(1, 1) = -q1 * q1 + q2 * q2 - q3 * q3 + qc * qc;
  m(1, 2) = 2 * (q2 * q3 + q1 * qc);
  m(2, 0) = 2 * (q1 * q3 + q2 * qc);
  m(2, 1) = 2 * (q2 * q3 - q1 * qc);
  m(2, 2) = -q1 * q1 - q2 * q2 + q3 * q3 + qc * qc;
  return m;
}
/// A turn of the frame by an angle about axis 0, 1 or 2: components before it to components after it.
Mat3<double> frame_turn(int axis, double angle_deg) {
  const double c = std::cos(math::kDegree * angle_deg);
  const double s = std::sin(math::kDegree * angle_deg);
  if (axis == 0) { return {{{1, 0, 0}, {0, c, s}, {0, -s, c}}}; }
  if (axis == 1) { return {{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}}; }
  return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
}
double difference(const Mat3<double>& a, const Mat3<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { most = std::max(most, std::fabs(a(i, j) - b(i, j))); }
  }
  return most;
}
double difference(const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b); }
/// Space components to body components.
Mat3<double> to_body_matrix(const std::vector<double>& row) { return transpose(rotation_matrix(attitude(row))); }

constexpr double kRounding = 4e-16;  // sums of a few products of numbers of size 1

}  // namespace

TEST_CASE("a log, CSV, HDF5 and JSON give back every bit, whatever the order of conversions") {
  const Folder folder;
  write_log(folder("run.plog"), 5000);  // more than a block of HDF5, and not a multiple of one
  const Whole original = read(folder("run.plog"));
  CHECK(original.rows.size() == 5000);
  CHECK(same_bits(original.rows[1234], row(1234)));
  CHECK(original.events.size() == 1667);
  CHECK(original.notes.empty());
  std::vector<std::string> formats{"csv", "json"};
  if (has_hdf5()) { formats.emplace_back("hdf5"); }
  for (const std::string& format : formats) {
    convert(folder("run.plog"), format, folder("direct." + format));
    CHECK(io::result_format_of(folder("direct." + format)).name == format);
    check_same(original, read(folder("direct." + format)));
  }
  std::sort(formats.begin(), formats.end());
  do {
    std::string from = folder("run.plog");
    for (const std::string& format : formats) {
      convert(from, format, folder("chain." + format));
      from = folder("chain." + format);
      CHECK((bytes_of(from) == bytes_of(folder("direct." + format))));
    }
  } while (std::next_permutation(formats.begin(), formats.end()));
}

TEST_CASE("two HDF5 files of the same result have the same bytes, and damage inside is told") {
  if (!has_hdf5()) { return; }
  const Folder folder;
  write_log(folder("run.plog"), 300);
  convert(folder("run.plog"), "hdf5", folder("a.h5"));
  convert(folder("run.plog"), "hdf5", folder("b.h5"));
  const std::string bytes = bytes_of(folder("a.h5"));
  CHECK((bytes == bytes_of(folder("b.h5"))));
  // wherever a byte is flipped: an error or the same numbers, no other ones
  const Whole original = read(folder("a.h5"));
  int told = 0;
  for (std::size_t at = 100; at < bytes.size(); at += bytes.size() / 200) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_bytes(folder("c.h5"), damaged);
    try {
      const Whole whole = read(folder("c.h5"));
      REQUIRE(whole.rows.size() == original.rows.size());
      for (std::size_t i = 0; i < whole.rows.size(); ++i) { CHECK(same_bits(whole.rows[i], original.rows[i])); }
    } catch (const Error&) { ++told; }
  }
  CHECK(told > 190);
}

TEST_CASE("the log of a killed run gives all of its whole rows, with a note") {
  const Folder folder;
  write_log(folder("run.plog"), 600, false);
  Whole whole = read(folder("run.plog"));
  CHECK(whole.rows.size() == 600);
  REQUIRE(whole.notes.size() == 1);
  CHECK(whole.notes[0].ends_with("is the log of a run that did not reach its end"));
  write_bytes(folder("cut.plog"), bytes_of(folder("run.plog")) + "PLHDR123");
  whole = read(folder("cut.plog"));
  CHECK(whole.rows.size() == 600);
  REQUIRE(whole.notes.size() == 2);
  CHECK(whole.notes[0].ends_with("the 8 bytes there are left out"));
}

TEST_CASE("an attitude message gives back attitudes and times to the bit, rates to rounding, and its whole head") {
  const Folder folder;
  write_log(folder("run.plog"), 400);
  convert(folder("run.plog"), "aem", folder("a.aem"));
  const Whole original = read(folder("run.plog"));
  const Whole whole = read(folder("a.aem"));
  REQUIRE(whole.rows.size() == original.rows.size());
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) { CHECK(same_bits(whole.rows[i][k], original.rows[i][k])); }
    // w = 2 E ė of ė = ½ Eᵀ w: a few roundings
    for (std::size_t k = 5; k < 8; ++k) {
      CHECK(std::fabs(whole.rows[i][k] - original.rows[i][k]) <= 1e-15 * std::fabs(original.rows[i][5]));
    }
  }
  CHECK(whole.head.title == original.head.title);
  CHECK(whole.head.scenario_text == original.head.scenario_text);
  CHECK(whole.head.scenario_sha256 == original.head.scenario_sha256);
  CHECK(whole.head.epoch == original.head.epoch);
  CHECK(whole.head.portable == original.head.portable);
  CHECK(whole.head.message_value("object_id", "") == "2026-001A");
  CHECK(whole.head.message_value("ref_frame_a", "") == "ICRF");
  const std::string text = bytes_of(folder("a.aem"));
  CHECK(text.starts_with("CCSDS_AEM_VERS = 1.0\n"));
  CHECK(text.find("\nSTART_TIME = 2016-12-31T23:59:59.25\n") != std::string::npos);
  CHECK(text.find("\n2016-12-31T23:59:60.25 ") != std::string::npos);
  CHECK(text.find("\nSTOP_TIME = 2017-01-01T00:00:38.150000000000006\n") != std::string::npos);  // 0.1 * 399 s later
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    CHECK(end - begin <= 254);
    begin = end + 1;
  }
  for (const char c : text) { CHECK((c == '\n' || (c >= ' ' && c <= '~'))); }
}

TEST_CASE(
    "a message from A to B holds the turn that takes the axes of A to those of B, as the standard's matrix does") {
  const Folder folder;
  // by hand: the body has turned by +90 degrees about z, so its x axis points along y of space
  const double half = std::sqrt(0.5);
  const std::string numbers = "0 0 " + std::to_string(half) + " " + std::to_string(half);
  const std::vector<double> quarter = row_of(folder, message(kDirect + kLast, numbers));
  CHECK(difference(rotate(attitude(quarter), {1, 0, 0}), {0, 1, 0}) < 1e-6);  // six decimals
  // any other attitude, by the matrix of the standard
  const std::vector<double> any = row_of(folder, message(kDirect + kLast, "0.1 -0.3 0.5 0.806225774829855"));
  CHECK(difference(to_body_matrix(any), standard_matrix(0.1, -0.3, 0.5, 0.806225774829855)) < 1e-14);
  // the wrong twin, an attitude read the other way round, is far away
  CHECK(difference(rotation_matrix(attitude(any)), standard_matrix(0.1, -0.3, 0.5, 0.806225774829855)) > 0.5);
}

TEST_CASE("order of the quaternion, direction and which frame is the body's are all heeded") {
  const Folder folder;
  const std::vector<double> plain = row_of(folder, message(kDirect + kLast, "0.1 -0.3 0.5 0.806225774829855"));
  const std::vector<double> expected{0, 0.806225774829855, 0.1, -0.3, 0.5};
  CHECK(plain == expected);
  const std::string first = "ATTITUDE_TYPE = QUATERNION\nQUATERNION_TYPE = FIRST\n";
  CHECK(row_of(folder, message(kDirect + first, "0.806225774829855 0.1 -0.3 0.5")) == expected);
  CHECK(row_of(folder, message(kFrames + "ATTITUDE_DIR = B2A\n" + kLast, "-0.1 0.3 -0.5 0.806225774829855")) ==
        expected);
  const std::string swapped = "REF_FRAME_B = EME2000\nREF_FRAME_A = SC_BODY_1\n";
  CHECK(row_of(folder, message(swapped + "ATTITUDE_DIR = A2B\n" + kLast, "-0.1 0.3 -0.5 0.806225774829855")) ==
        expected);
  CHECK(row_of(folder, message(swapped + "ATTITUDE_DIR = B2A\n" + kLast, "0.1 -0.3 0.5 0.806225774829855")) ==
        expected);
  // version 2 has no direction and no order: always A to B, scalar last
  CHECK(row_of(folder, message(kFrames + "ATTITUDE_TYPE = QUATERNION\n", "0.1 -0.3 0.5 0.806225774829855", "2.0")) ==
        expected);
  // the wrong twin
  CHECK(row_of(folder, message(kFrames + "ATTITUDE_DIR = B2A\n" + kLast, "0.1 -0.3 0.5 0.806225774829855")) !=
        expected);
}

TEST_CASE("Euler angles of a message are turns of the frame, one after the other") {
  const Folder folder;
  for (const std::string sequence : {"321", "ZYX", "313", "231"}) {
    CAPTURE(sequence);
    const auto row = row_of(
        folder, message(kDirect + "ATTITUDE_TYPE = EULER_ANGLE\nEULER_ROT_SEQ = " + sequence + "\n", "30 20 -10"));
    Mat3<double> matrix = identity<double, 3>();
    const double angles[] = {30, 20, -10};
    for (std::size_t i = 0; i < 3; ++i) {
      const char c = sequence[i];
      matrix = frame_turn(c >= 'X' ? c - 'X' : c - '1', angles[i]) * matrix;
    }
    CHECK(difference(to_body_matrix(row), matrix) < kRounding);
  }
  const auto back = row_of(folder, message(kFrames + "ATTITUDE_DIR = B2A\nATTITUDE_TYPE = EULER ANGLE\n"
                                                     "EULER_ROT_SEQ = 321\n",
                                           "30 20 -10"));
  const Mat3<double> matrix = frame_turn(0, -10) * frame_turn(1, 20) * frame_turn(2, 30);
  CHECK(difference(rotation_matrix(attitude(back)), matrix) < kRounding);
  CHECK(difference(to_body_matrix(back), matrix) > 0.1);
}

TEST_CASE("rates of a message come as body rates, whatever they were given as") {
  const Folder folder;
  const EulerParameters<double> e_NB = exp(Vec3<double>{0.2, -0.7, 0.4});
  const Vec3<double> w_B{1.1, 0.3, -0.6};
  const Vec3<double> w_N = rotate(e_NB, w_B);
  const auto text = [](std::initializer_list<double> numbers) {
    std::string line;
    for (const double x : numbers) {
      line += ' ';
      io::append_number(line, x);
    }
    return line;
  };
  const auto quaternion = [&](const EulerParameters<double>& e) { return text({e.ev.x, e.ev.y, e.ev.z, e.e0}); };
  const auto degrees = [&](const Vec3<double>& v) {
    return text({v.x / math::kDegree, v.y / math::kDegree, v.z / math::kDegree});
  };
  const auto off = [&](const std::string& metadata, const std::string& numbers, const char* version = "1.0") {
    const auto row = row_of(folder, message(metadata, numbers, version));
    REQUIRE(row.size() == 8);
    return difference(Vec3<double>{row[5], row[6], row[7]}, w_B);
  };
  const double kSmall = 2e-15;  // degrees and back, and a dozen roundings of numbers of size 1
  const std::string derivative = "ATTITUDE_TYPE = QUATERNION/DERIVATIVE\nQUATERNION_TYPE = LAST\n";
  const EulerParameters<double> edot = rate_from_body(e_NB, w_B);
  CHECK(off(kDirect + derivative, quaternion(e_NB) + quaternion(edot)) < kSmall);
  CHECK(off(kFrames + "ATTITUDE_DIR = B2A\n" + derivative, quaternion(conjugate(e_NB)) + quaternion(conjugate(edot))) <
        kSmall);
  const std::string rate = "ATTITUDE_TYPE = QUATERNION/RATE\nQUATERNION_TYPE = LAST\nRATE_FRAME = ";
  CHECK(off(kDirect + rate + "REF_FRAME_B\n", quaternion(e_NB) + degrees(w_B)) < kSmall);
  CHECK(off(kDirect + rate + "REF_FRAME_A\n", quaternion(e_NB) + degrees(w_N)) < kSmall);
  CHECK(off(kFrames + "ATTITUDE_DIR = B2A\n" + rate + "REF_FRAME_B\n", quaternion(conjugate(e_NB)) + degrees(-w_B)) <
        kSmall);
  CHECK(off(kFrames + "ATTITUDE_DIR = B2A\n" + rate + "REF_FRAME_A\n", quaternion(conjugate(e_NB)) + degrees(-w_N)) <
        kSmall);
  CHECK(off(kDirect + rate + "REF_FRAME_A\n", quaternion(e_NB) + degrees(w_B)) > 0.1);  // the wrong twin
  const std::string velocity = "ATTITUDE_TYPE = QUATERNION/ANGVEL\nANGVEL_FRAME = ";
  CHECK(off(kFrames + velocity + "SC_BODY_1\n", quaternion(e_NB) + degrees(w_B), "2.0") < kSmall);
  CHECK(off(kFrames + velocity + "EME2000\n", quaternion(e_NB) + degrees(w_N), "2.0") < kSmall);
  const EulerAngles angles{EulerSequence::parse("3-2-1")};
  const Vec3<double> x = angles.from_euler_parameters(e_NB);
  const Vec3<double> xdot = coordinate_rate(angles, x, BodyVector<double>(w_B));
  const std::string sequence = "EULER_ROT_SEQ = 321\n";
  CHECK(off(kDirect + "ATTITUDE_TYPE = EULER_ANGLE/RATE\n" + sequence, degrees(x) + degrees(xdot)) < kSmall);
  CHECK(off(kFrames + "ATTITUDE_TYPE = EULER_ANGLE/DERIVATIVE\n" + sequence, degrees(x) + degrees(xdot), "2.0") <
        kSmall);
  CHECK(off(kFrames + "ATTITUDE_TYPE = EULER_ANGLE/ANGVEL\nANGVEL_FRAME = SC_BODY_1\n" + sequence,
            degrees(x) + degrees(w_B), "2.0") < kSmall);
  CHECK(off(kDirect + "ATTITUDE_TYPE = QUATERNION/RATE\nQUATERNION_TYPE = LAST\n" + sequence,
            quaternion(e_NB) + degrees(xdot)) < kSmall);
}

TEST_CASE("segments of a message follow each other, and what we do not know in it is told") {
  const Folder folder;
  std::string second = kAem.substr(kAem.find("META_START"));
  for (std::size_t at = second.find("T12:00"); at != std::string::npos; at = second.find("T12:00", at)) {
    second.replace(at, 6, "T13:00");
  }
  write_bytes(folder("two.aem"), replaced(kAem, "META_STOP", "COLOUR = RED\nMETA_STOP") + "\n" + second);
  const Whole whole = read(folder("two.aem"));
  REQUIRE(whole.rows.size() == 6);
  CHECK(whole.rows[3][0] == 3600);
  REQUIRE(whole.notes.size() == 1);
  CHECK(whole.notes[0].ends_with("two.aem:16: COLOUR is not a keyword that we know; left out"));
}

TEST_CASE("what cannot be a message is refused: no date, no rotation, no rows") {
  const Folder folder;
  write_bytes(folder("a.csv"), kCsv);
  CHECK_THROWS_WITH_AS(convert(folder("a.csv"), "aem", folder("a.aem")),
                       doctest::Contains("times of an AEM are dates, and this result has no epoch; give the date"),
                       Error);
  const std::string dated = "# epoch: 2026-01-31T12:00:00 UTC at t = 0\n" + kCsv;
  write_bytes(folder("b.csv"), replaced(dated, "0.8,0.6", "0.8,0.7"));
  CHECK_THROWS_WITH_AS(convert(folder("b.csv"), "aem", folder("b.aem")),
                       doctest::Contains("row 2: |e| is 1.06301458, and a message must hold rotations"), Error);
  write_bytes(folder("c.csv"), dated.substr(0, dated.find("0,1,0,0,0")));
  CHECK_THROWS_WITH_AS(convert(folder("c.csv"), "aem", folder("c.aem")), doctest::Contains("holds no rows"), Error);
  write_bytes(folder("d.csv"), replaced(dated, "12:00:00", "25:00:00"));
  CHECK_THROWS_WITH_AS(convert(folder("d.csv"), "aem", folder("d.aem")), doctest::Contains("is no moment"), Error);
}

TEST_CASE("a CSV file of another program is read with the units that its names carry") {
  const Folder folder;
  write_bytes(folder("a.csv"), "\"t_s\"; e0; e1; e2; e3; wx_body_rad_s; hx_space_Nms; odd/name\n0;1;0;0;0;2;3;4");
  const Whole whole = read(folder("a.csv"));
  REQUIRE(whole.head.columns.size() == 8);
  CHECK(whole.head.columns[5].unit == "rad/s");
  CHECK(whole.head.columns[6].unit == "N m s");
  CHECK(whole.head.columns[7].unit == "1");
  REQUIRE(whole.notes.size() == 1);
  CHECK(whole.notes[0].ends_with("the last line has no line break: its last number may be cut"));
  for (const std::string format : {"json", "hdf5"}) {
    if (format == "hdf5" && !has_hdf5()) { continue; }
    convert(folder("a.csv"), format, folder("b." + format));
    check_same(whole, read(folder("b." + format)));
  }
}

TEST_CASE("every broken result file is told with its name and what is wrong") {
  const Folder folder;
  const std::vector<Broken> corpus = broken_results(folder);
  CHECK(corpus.size() >= 55);
  for (const Broken& broken : corpus) {
    CAPTURE(broken.name);
    const std::string path = folder(broken.name);
    write_bytes(path, broken.bytes);
    std::string said = "nothing";
    try {
      read(path);
    } catch (const Error& error) { said = error.what(); }
    std::string wanted = broken.says;
    if (const std::size_t at = wanted.find('%'); at != std::string::npos) { wanted.replace(at, 1, path); }
    CAPTURE(said);
    CHECK(said.find(wanted) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    CHECK(said.find(broken.name) != std::string::npos);
  }
  CHECK_THROWS_WITH_AS(read(folder("absent")), doctest::Contains("No such file"), Error);
  CHECK_THROWS_WITH_AS(read(folder("")), doctest::Contains("not a plain file"), Error);
}
