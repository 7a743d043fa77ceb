#include "polhode/audit/log.h"

#include "polhode/core/error.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using namespace polhode::audit;

namespace {

io::RowReader::Fill text_of(std::string text) {
  return [text = std::move(text), at = std::size_t{0}](char* to, std::size_t size) mutable {
    const std::size_t count = text.copy(to, size, at);
    at += count;
    return count;
  };
}

/// Eight rows of numbers under `header`, `columns` of them: row k holds k, then 1 0 0 0 and rates.
std::string rows_under(const std::string& header, const std::string& rest) {
  std::string text = header + '\n';
  for (int k = 0; k < 8; ++k) { text += std::to_string(k) + rest + '\n'; }
  return text;
}

std::string message_of(const std::string& text, const LogColumns& columns = {}) {
  try {
    read_log("log.csv", columns, text_of(text));
  } catch (const Error& error) { return error.what(); }
  return "";
}

}  // namespace

TEST_CASE("columns are found by their usual names, whatever their order") {
  struct Named {
    const char* header;
    const char* row;
    Convention convention;
  };
  const Convention ours;
  const Convention last{Order::xyzw, Direction::body_to_space, RateFrame::body};
  const Convention world{Order::wxyz, Direction::body_to_space, RateFrame::space};
  const Named cases[] = {
      {"t,qw,qx,qy,qz,wx,wy,wz", ",0.8,0.6,0,0,1,2,3", ours},
      {"time,q0,q1,q2,q3,w1,w2,w3", ",0.8,0.6,0,0,1,2,3", ours},
      {"Time [s];quat_w;quat_x;quat_y;quat_z;omega_x;omega_y;omega_z", ";0.8;0.6;0;0;1;2;3", ours},
      {"timestamp,wx,wy,wz,qx,qy,qz,qw", ",1,2,3,0.6,0,0,0.8", last},
      {"t,orientation.x,orientation.y,orientation.z,orientation.w,angular_velocity.x,angular_velocity.y,angular_"
       "velocity.z",
       ",0.6,0,0,0.8,1,2,3", last},
      {"t,px,q_w,q_x,q_y,q_z,w_world_x,w_world_y,w_world_z", ",9,0.8,0.6,0,0,1,2,3", world},
      {"t e0 e1 e2 e3 w_body_x w_body_y w_body_z", " 0.8 0.6 0 0 1 2 3", ours},
      {"t,w,x,y,z,p,q,r", ",0.8,0.6,0,0,1,2,3", ours},
      {"t,q1,q2,q3,qc,w_x_body,w_y_body,w_z_body", ",0.6,0,0,0.8,1,2,3", last},
  };
  for (const Named& named : cases) {
    const std::string header = named.header;
    CAPTURE(header);
    const RotationLog log = read_log("log.csv", {}, text_of(rows_under(header, named.row)));
    CHECK(log.size() == 8);
    CHECK(log.t[3] == 3);
    CHECK(log.w[5] == Vec3<double>{1, 2, 3});
    CHECK(log.assumed == named.convention);
    const std::array<double, 4> q = named.convention.order == Order::wxyz ? std::array<double, 4>{0.8, 0.6, 0, 0}
                                                                          : std::array<double, 4>{0.6, 0, 0, 0.8};
    CHECK(log.q[7] == q);
  }
  // a name that says degrees is heard
  CHECK(read_log("log.csv", {},
                 text_of(rows_under("t,qw,qx,qy,qz,gyro_x_deg/s,gyro_y_deg/s,gyro_z_deg/s", ",1,0,0,0,1,2,3")))
            .degrees);
  CHECK_FALSE(read_log("log.csv", {}, text_of(rows_under("t,qw,qx,qy,qz,wx,wy,wz", ",1,0,0,0,1,2,3"))).degrees);
}

TEST_CASE("a time whose name says its unit is read in seconds") {
  struct Named {
    const char* header;
    double seconds;  ///< of a time of 3
  };
  for (const Named& named : {Named{"t_ms", 0.003}, Named{"Time [us]", 3e-6}, Named{"timestamp_ns", 3e-9},
                             Named{"time (min)", 180}, Named{"t_s", 3}, Named{"time_sec", 3}}) {
    const std::string header = named.header;
    CAPTURE(header);
    const std::string text = rows_under(header + ",qw,qx,qy,qz,wx,wy,wz", ",1,0,0,0,1,2,3");
    CHECK(read_log("log.csv", {}, text_of(text)).t[3] == named.seconds);
    const LogColumns columns{.names = {header, "qw", "qx", "qy", "qz", "wx", "wy", "wz"}};
    CHECK(read_log("log.csv", columns, text_of(text)).t[3] == named.seconds);
  }
}

TEST_CASE("a row that repeats the one before it is left out; the same time with other numbers is a mistake") {
  const std::string good = rows_under("t,qw,qx,qy,qz,wx,wy,wz", ",1,0,0,0,1,2,3");
  const RotationLog log = read_log("log.csv", {}, text_of(good + "7,1,0,0,0,1,2,3\n8,1,0,0,0,1,2,3\n"));
  CHECK(log.size() == 9);
  CHECK(log.repeated_rows == 1);
  CHECK(message_of(good + "7,1,0,0,0,1,2,4\n").starts_with("log.csv:10:1: time 7 does not come after 7"));
}

TEST_CASE("columns may be named, and options override what names say") {
  const std::string text = rows_under("a,b,c,d,e,f,g,h", ",0.8,0.6,0,0,1,2,3");
  const RotationLog log = read_log("log.csv", {.names = {"a", "B", "c", "d", "e", "f", "g", "h"}}, text_of(text));
  CHECK(log.q[0] == std::array<double, 4>{0.8, 0.6, 0, 0});
  CHECK(log.w[0] == Vec3<double>{1, 2, 3});
  const RotationLog other =
      read_log("log.csv", {.order = Order::xyzw, .direction = Direction::space_to_body, .frame = RateFrame::space},
               text_of(rows_under("t,qw,qx,qy,qz,wx,wy,wz", ",0.8,0.6,0,0,1,2,3")));
  CHECK(other.assumed == Convention{Order::xyzw, Direction::space_to_body, RateFrame::space});
}

TEST_CASE("maps know what engines write; modified Rodrigues parameters become quaternions") {
  const RotationLog bullet =
      read_log("log.csv", {.map = &log_map("bullet")}, text_of(rows_under("# nothing", ",0.6,0,0,0.8,1,2,3")));
  CHECK(bullet.assumed == Convention{Order::xyzw, Direction::body_to_space, RateFrame::space});
  // σ = e/(1 + e0) of (0.8; 0.6 0 0)
  const RotationLog basilisk =
      read_log("log.csv", {.map = &log_map("basilisk")},
               text_of(rows_under("time,sigma_BN_0,sigma_BN_1,sigma_BN_2,omega_BN_B_0,omega_BN_B_1,omega_BN_B_2",
                                  ",0.33333333333333333,0,0,1,2,3")));
  CHECK(basilisk.mrp);
  CHECK(std::fabs(basilisk.q[0][0] - 0.8) < 1e-15);
  CHECK(std::fabs(basilisk.q[0][1] - 0.6) < 1e-15);
  const RotationLog mujoco = read_log(
      "log.csv", {.map = &log_map("mujoco")},
      text_of(rows_under("time,qpos[3],qpos[4],qpos[5],qpos[6],qvel[3],qvel[4],qvel[5]", ",0.8,0.6,0,0,1,2,3")));
  CHECK(mujoco.w[0] == Vec3<double>{1, 2, 3});
}

TEST_CASE("a broken log is answered with its location, what is wrong and what would be right") {
  const std::string good = rows_under("t,qw,qx,qy,qz,wx,wy,wz", ",1,0,0,0,1,2,3");
  CHECK(message_of(good) == "");
  CHECK(message_of("") == "log.csv:1:1: the log holds 0 rows; at least 8 rows of one body's motion are needed");
  CHECK(message_of("t,qw,qx,qy,qz,wx,wy,wz\n") ==
        "log.csv:1:1: the log holds 0 rows; at least 8 rows of one body's motion are needed");
  CHECK(message_of("t,qw,qx,qy,qz,wx,wy,wz\n0,1,0,0,0,1,2,3\n") ==
        "log.csv:2:1: the log holds 1 row; at least 8 rows of one body's motion are needed");
  CHECK(
      message_of("t,qw,qx,qy,qz\n0,1,0,0,0\n") ==
      "log.csv:1:1: no columns for the angular velocity in t qw qx qy qz; known names: wx wy wz, w_body_x, w_world_x, "
      "omega_x, angular_velocity.x, gyro_x, p q r; or name them: --columns t,qw,qx,qy,qz,wx,wy,wz");
  CHECK(message_of("qw,qx,qy,qz,wx,wy,wz\n").starts_with("log.csv:1:1: no columns for time in qw qx qy qz wx wy wz; "));
  CHECK(message_of("t,roll,pitch,yaw,wx,wy,wz\n").starts_with("log.csv:1:1: no columns for the attitude in t roll "));
  CHECK(message_of("t,qw,qw,qx,qy,qz,wx,wy,wz\n") ==
        "log.csv:1:1: two columns have the name 'qw'; one body a log; rename one, or take one out");
  CHECK(message_of("1,2,3\n") == "log.csv:1:1: 3 numbers; 8 needed: t q1 q2 q3 q4 wx wy wz");
  CHECK(message_of(good + "8,nan,0,0,0,1,2,3\n") == "log.csv:10:3: 'nan' is not finite; all numbers must be finite");
  CHECK(message_of(good + "8,1,0,0,0,1,2\n") == "log.csv:10:1: 7 numbers; 8 needed: t qw qx qy qz wx wy wz");
  CHECK(message_of(good + "8,1,0,0,0,1,2,abc\n") ==
        "log.csv:10:15: 'abc' is not a number; a number is written like -1.5e-3");
  CHECK(
      message_of(good + "7,1,0,0,0,1,2,4\n") ==
      "log.csv:10:1: time 7 does not come after 7 of the row before; times must rise from row to row; one body and one "
      "run a log");
  CHECK(
      message_of(good + "8,0,0,0,0,1,2,3\n") ==
      "log.csv:10:1: quaternion (0 0 0 0) has norm 0; an attitude has norm 1; up to 0.5 and 2 are read; are these the "
      "right columns? --columns names them");
  CHECK(message_of(good + "8,1,0,0,0,1e40,2,3\n") ==
        "log.csv:10:1: time 8 and rates 1e+40 2 3; none may be beyond 1e30");
  CHECK(
      message_of(good + "8,1,0,0,0,1e999,2,3\n").starts_with("log.csv:10:11: '1e999' is beyond the range of numbers"));
  CHECK(message_of(std::string("\x7f"
                               "ELF\x02\x01\x01\0\0\0\xff\xfe",
                               12))
            .starts_with("log.csv:1:1: this is a program; wanted: text with rows of numbers"));
  CHECK(message_of(good, {.names = {"t", "qw"}}) ==
        "--columns names 2 columns; 8 needed: time, 4 of the attitude, 3 rates; such as: --columns "
        "t,qw,qx,qy,qz,wx,wy,wz");
  CHECK(message_of(good, {.names = {"tt", "qw", "qx", "qy", "qz", "wx", "wy", "wz"}})
            .starts_with("log.csv:1:1: unknown column 'tt'; known: t qw qx qy qz wx wy wz"));
  CHECK_THROWS_WITH(
      log_map("bulet"),
      "unknown map 'bulet'; known: generic mujoco bullet ode drake basilisk jolt; did you mean 'bullet'?");
  // many mistakes: eleven and a count
  std::string many = good;
  for (int k = 0; k < 30; ++k) { many += "x,1,0,0,0,1,2,3\n"; }
  CHECK(message_of(many).ends_with("... and 19 more"));
}
