#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace {

const std::string kCases = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/";
const std::string kInertia = " --inertia 0.02,0.03,0.04";

}  // namespace

TEST_CASE("audit of a good log exits 0 and says so; of a faulty one 1, naming the fault") {
  const Workshop shop;
  const Workshop::Result good = shop.polhode("audit " + kCases + "audit_mujoco_rk4.csv --map mujoco" + kInertia);
  CHECK(good.status == 0);
  CHECK(good.out.find("\nno fault found\n") != std::string::npos);
  CHECK(good.out.find('\x1b') == std::string::npos);
  CHECK(good.err == "Next: polhode list schemes\n");

  const Workshop::Result faulty = shop.polhode("audit " + kCases + "audit_bullet_no_gyro.csv --map bullet" + kInertia);
  CHECK(faulty.status == 1);
  CHECK(faulty.out.find("\nfaults: gyroscopic-missing\n") != std::string::npos);

  // the same without the inertia: cannot tell, and how it could
  const Workshop::Result unknown = shop.polhode("audit " + kCases + "audit_bullet_no_gyro.csv --map bullet");
  CHECK(unknown.status == 0);
  CHECK(unknown.out.find("gyroscopic cannot tell") != std::string::npos);
  CHECK(unknown.err.starts_with("Next: polhode audit "));
  CHECK(unknown.err.ends_with(" --inertia J1,J2,J3\n"));
}

TEST_CASE("audit --page shows the log in the browser, with or without an exact motion beside it") {
  const Workshop shop;
  const std::string log = "audit " + kCases + "audit_bullet_no_gyro.csv --map bullet -q";
  CHECK(shop.polhode(log + kInertia + " --page both.html").status == 1);
  CHECK(shop.polhode(log + " --page alone.html").status == 0);
  for (const char* name : {"both.html", "alone.html"}) {
    CAPTURE(name);
    const std::string page = shop.read(name);
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(page.find("is the gyroscopic term there") != std::string::npos);
  }
  CHECK(shop.polhode(log + " --page /proc/none.html").status == 2);
}

TEST_CASE("audit --json prints one object with verdicts, reasons and numbers") {
  const Workshop shop;
  const Workshop::Result result =
      shop.polhode("audit " + kCases + "audit_mujoco_euler.csv --map mujoco --json" + kInertia);
  CHECK(result.status == 1);
  CHECK(result.err == "");
  const nlohmann::json object = nlohmann::json::parse(result.out);
  CHECK(object["what"] == "audit");
  CHECK(object["rows"] == 400);
  CHECK(object["faults"] == nlohmann::json{"growth"});
  CHECK(object["found"] == object["assumed"]);
  CHECK(object["found"]["order"] == "wxyz");
  CHECK(object["verdicts"].size() == 12);
  for (const nlohmann::json& verdict : object["verdicts"]) {
    CHECK(verdict["reason"].get<std::string>().size() > 10);
    CHECK((verdict["answer"] == "yes" || verdict["answer"] == "no" || verdict["answer"] == "cannot tell"));
  }
}

TEST_CASE("audit of a log read in the wrong way suggests the right one, and that is then right") {
  const Workshop shop;
  const std::string file = kCases + "audit_mujoco_rk4.csv";
  const std::string columns = " --columns t,qpos_3,qpos_4,qpos_5,qpos_6,qvel_3,qvel_4,qvel_5";
  const Workshop::Result wrong = shop.polhode("audit " + file + columns + " --order xyzw --rates space" + kInertia);
  CHECK(wrong.status == 1);
  CHECK(wrong.out.find("\nfaults: order, frame\n") != std::string::npos);
  CHECK(wrong.err.ends_with("--order wxyz --direction body-to-space --rates body\n"));
  const Workshop::Result right =
      shop.polhode("audit " + file + columns + " --order wxyz --direction body-to-space --rates body" + kInertia);
  CHECK(right.status == 0);
}

TEST_CASE("audit reads standard input") {
  const Workshop shop;
  const Workshop::Result result =
      shop.command("grep -v '#' " + kCases + "audit_mujoco_rk4.csv | polhode audit - --map mujoco -q" + kInertia);
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("stdin: 400 rows"));
  CHECK(result.err == "");
}

TEST_CASE("audit answers a broken log or option with one line and exit code 2, and writes nothing") {
  const Workshop shop;
  const std::string header = "t,qw,qx,qy,qz,wx,wy,wz\n";
  std::string rows;
  for (int k = 0; k < 20; ++k) { rows += std::to_string(k) + ",1,0,0,0,1,2,3\n"; }
  shop.write("empty.csv", "");
  shop.write("header.csv", header);
  shop.write("one.csv", header + "0,1,0,0,0,1,2,3\n");
  shop.write("nan.csv", header + rows + "20,1,0,nan,0,1,2,3\n");
  shop.write("back.csv", header + rows + "3,1,0,0,0,1,2,3\n");
  shop.write("missing.csv", "t,qw,qx,qy,wx,wy,wz\n0,1,0,0,1,2,3\n");
  shop.write("huge.csv", header + rows + "20,1,0,0,0,1e300,2,3\n");
  shop.write("good.csv", header + rows);
  shop.command("head -c 100000 /dev/zero | tr '\\0' '\\377' > binary.csv");
  shop.command("head -c 3000 " POLHODE_PROGRAM " > program.csv");
  const std::size_t files = shop.count_files();
  struct Said {
    const char* arguments;
    const char* message;
  };
  const std::vector<Said> corpus{
      {"empty.csv", "empty.csv:1:1: the log holds 0 rows; at least 8 rows of one body's motion are needed"},
      {"header.csv", "header.csv:1:1: the log holds 0 rows; at least 8 rows of one body's motion are needed"},
      {"one.csv", "one.csv:2:1: the log holds 1 row; at least 8 rows of one body's motion are needed"},
      {"nan.csv", "nan.csv:22:8: 'nan' is not finite; all numbers must be finite"},
      {"back.csv",
       "back.csv:22:1: time 3 does not come after 19 of the row before; times must rise from row to row; one body and "
       "one "
       "run a log"},
      {"missing.csv",
       "missing.csv:1:1: no columns for the attitude in t qw qx qy wx wy wz; known names: qw qx qy qz, q0 .. q3, "
       "quat_w .. "
       "quat_z, orientation.x .. orientation.w; or name them: --columns t,qw,qx,qy,qz,wx,wy,wz"},
      {"huge.csv", "huge.csv:22:1: time 20 and rates 1e+300 2 3; none may be beyond 1e30"},
      {"absent.csv", "cannot read 'absent.csv': No such file or directory"},
      {"good.csv --map bulet",
       "unknown map 'bulet'; known: generic mujoco bullet ode drake basilisk jolt; did you mean 'bullet'?"},
      {"good.csv --inertia 1,2", "--inertia has 2 numbers; 3 principal moments, or 6 numbers Jxx,Jyy,Jzz,Jxy,Jxz,Jyz"},
      {"good.csv --inertia 1,2,x", "--inertia: 'x' is not a number; a number is written like -1.5e-3"},
      {"good.csv --order wzyx", "unknown order 'wzyx'; known: wxyz xyzw"},
      {"good.csv --rates bodi", "unknown rates 'bodi'; known: body space; did you mean 'body'?"},
      {"good.csv --inertia 0,02,0,03,0,04",
       "--inertia has 6 numbers; 3 principal moments, or 6 numbers Jxx,Jyy,Jzz,Jxy,Jxz,Jyz; commas stand between "
       "numbers, "
       "decimals behind a point: 0.02,0.03,0.04"},
      {"good.csv --drift 0,01",
       "--drift: '0,01' is not a number; a number is written like -1.5e-3, with a decimal point"},
      {"good.csv --limit --", "--limit: '--' is not a number; a number is written like -1.5e-3"},
      {"good.csv --drift -1", "--drift is -1; a finite number above 0"},
      {"good.csv --inertai 1,2,3", "unexpected '--inertai'; did you mean '--inertia'?"},
  };
  for (const Said& said : corpus) {
    const std::string arguments = said.arguments;
    CAPTURE(arguments);
    const Workshop::Result result = shop.polhode("audit " + arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.substr(0, result.err.find('\n')) == std::string("polhode: ") + said.message);
  }
  for (const char* file : {"binary.csv", "program.csv"}) {
    const Workshop::Result result = shop.polhode(std::string("audit ") + file);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.size() < 1000);
  }
  CHECK(shop.polhode("audit good.csv --inertia 1,2,9").err.starts_with("polhode: --inertia: "));
  CHECK(shop.polhode("audit").status == 2);
  CHECK(shop.count_files() == files);
}

TEST_CASE("a log in which nothing moves, or nothing makes sense, is answered and not accused") {
  const Workshop shop;
  std::string rest = "t,qw,qx,qy,qz,wx,wy,wz\n";
  std::string at_rest = rest;
  for (int k = 0; k < 50; ++k) { at_rest += std::to_string(k) + ",1,0,0,0,0,0,0\n"; }
  shop.write("rest.csv", at_rest);
  const Workshop::Result still = shop.polhode("audit rest.csv --inertia 1,2,3 --json");
  CHECK(still.status == 0);
  for (const nlohmann::json& verdict : nlohmann::json::parse(still.out)["verdicts"]) {
    if (verdict["name"] != "norm") { CHECK(verdict["answer"] == "cannot tell"); }
  }
  // rates that have nothing to do with the attitudes
  std::string noise = rest;
  for (int k = 0; k < 200; ++k) {
    const double angle = 0.05 * k;
    noise += std::to_string(k) + "," + std::to_string(std::cos(angle)) + "," + std::to_string(std::sin(angle)) +
             ",0,0," + std::to_string(0.1 * ((k * 7) % 11 - 5)) + "," + std::to_string(0.1 * ((k * 5) % 13 - 6)) +
             ",0.02\n";
  }
  shop.write("noise.csv", noise);
  const Workshop::Result unrelated = shop.polhode("audit noise.csv -q");
  CHECK(unrelated.status == 1);
  CHECK(unrelated.out.find("\nfaults: unrelated\n") != std::string::npos);
}

TEST_CASE("audit interrupted while it waits for rows ends with the code that tells of it, and says nothing") {
  const Workshop shop;
  const Workshop::Result result = shop.command(
      "mkfifo rows; polhode audit rows & pid=$!; exec 3>rows; printf 't,qw,qx,qy,qz,wx,wy,wz\\n0,1,0,0,0,1,2,3\\n' "
      ">&3; "
      "sleep 1; kill -TERM $pid; wait $pid");
  CHECK(result.status == 143);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
  CHECK(shop.count_files() == 1);  // the pipe
}
