#include "multibody/chain.h"

namespace polhode::bench {

FourBarRun mujoco_four_bar(int) {
  FourBarRun run;
  run.installed = false;
  return run;
}

}  // namespace polhode::bench
