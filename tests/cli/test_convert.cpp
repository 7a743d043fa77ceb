#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace {

struct Converted {
  const char* arguments;
  const char* message;
};

/// Equal word by word, numbers up to the last digits (what is printed rests on elementary functions).
bool same_text(const std::string& a, const std::string& b) {
  const auto words = [](const std::string& text) {
    std::vector<std::string> list(1);
    for (const char c : text) {
      if (std::string_view(" ,:;[]{}()\"\n").find(c) != std::string_view::npos) {
        list.emplace_back(1, c);
        list.emplace_back();
      } else {
        list.back() += c;
      }
    }
    return list;
  };
  const auto same_word = [](const std::string& x, const std::string& y) {
    char* x_end = nullptr;
    char* y_end = nullptr;
    const double u = std::strtod(x.c_str(), &x_end);
    const double v = std::strtod(y.c_str(), &y_end);
    const bool numbers = !x.empty() && !y.empty() && *x_end == '\0' && *y_end == '\0';
    return x == y || (numbers && std::fabs(u - v) <= 1e-14 * (1 + std::fabs(v)));
  };
  const std::vector<std::string> left = words(a);
  const std::vector<std::string> right = words(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_word);
}

}  // namespace

TEST_CASE("convert answers bad input with one line that says what is wrong and what would be right, and exit code 2") {
  const Workshop shop;
  const std::vector<Converted> corpus{
      {"--from quaternion_wxyz --to matrix -- 1 0.1 0 0",
       "quaternion (1 0.1 0 0) has norm 1.00498756, not 1 (tolerance 1e-06); divided by its norm it would be "
       "0.99503719020998926 0.099503719020998929 0 0; --nearest takes that"},
      {"--from quaternion_wxyz --to matrix -- 0 0 0 0",
       "quaternion (0 0 0 0) is zero: it describes no attitude; no rotation is 1 0 0 0"},
      {"--from quaternion_wxyz --to matrix --nearest -- 0 0 0 0",
       "quaternion (0 0 0 0) is zero: it describes no attitude; no rotation is 1 0 0 0"},
      {"--from quaternion_wxyz --to matrix -- 1 0 nan 0", "values: 'nan' is not finite; all numbers must be finite"},
      {"--from quaternion_wxyz --to matrix -- 1 0 -inf 0", "values: '-inf' is not finite; all numbers must be finite"},
      {"--from quaternion_wxyz --to matrix -- 1 0 1e999 0",
       "values: '1e999' is beyond the range of numbers; between 4.9e-324 and 1.8e308 in size, or 0"},
      {"--from quaternion_wxyz --to matrix -- 1 0 1e-400 0",
       "values: '1e-400' is beyond the range of numbers; between 4.9e-324 and 1.8e308 in size, or 0"},
      {"--from quaternion_wxyz --to matrix -- 1,0 0,1",
       "values: a blank between numbers, after a comma; one kind of separator in a row; decimal commas are not read: "
       "write points"},
      {"--from quaternion_wxyz --to matrix -- ''", "the values hold no numbers; 4 needed: w x y z"},
      {"--from quaternion_wxyz --to matrix -- 1 0 abc 0",
       "values: 'abc' is not a number; a number is written like -1.5e-3"},
      {"--from quaternion_wxyz --to matrix -- 1 0 0x1 0",
       "values: '0x1' is not a number; a number is written like -1.5e-3"},
      {"--from quaternion_wxyz --to matrix -- a b c d",
       "values: 'a' is not a number; a number is written like -1.5e-3"},
      {"--from axis_angle --to quaternion_wxyz --rates-from values --rates-to body -- 1 0 0 0.5 3 0 0 1",
       "axis rate (3 0 0) is not that of a unit vector: n·ṅ is 3, not 0 (tolerance 4e-06 of the rates); without its "
       "part "
       "along the axis it would be 0 0 0; --nearest takes that"},
      {"--from quaternion_wxyz --to quaternion_wxyz --rates-from values -- 1 0 0 0 5 1 0 0",
       "quaternion rates (5 1 0 0) are not those of a rotation: e·ė is 5, not 0 (tolerance 4e-06 of their size); "
       "without "
       "their part along e they would be 0 1 0 0; --nearest takes that"},
      {"--from matrix --to quaternion_wxyz --rates-from values --rates-to body -- 1 0 0 0 1 0 0 0 1 0 5 0 0 0 0 0 0 0",
       "matrix rates are not those of a rotation: an entry of the symmetric part of AᵀȦ is 2.5, not 0 (tolerance 4e-06 "
       "of their size); the nearest rates of a rotation are 3.54 away; --nearest takes that"},
      {"--from reduced --to mrp --rates-to space --rates-from values -- 0.6 0.8 0 1 1 0",
       "reduced Euler parameters give no angular velocity at this attitude: it is a singularity of 'reduced'; half "
       "turns are regular in mrp and in quaternions"},
      {"--from quaternion_wxyz --to matrix -- 1,0,,0", "values: an empty field; a number must stand here"},
      {"--from quaternion_wxyz --to matrix -- 1 0 0", "values: 3 numbers; 4 needed: w x y z"},
      {"--from euler:3-2-1 --to matrix --deg -- 1 2 3 4",
       "values: 4 numbers; 3 needed: theta1_deg theta2_deg theta3_deg"},
      {"--from matrix --to quaternion_wxyz -- 1 0 0 0 1 0 0 0 -1",
       "matrix is left-handed: det A = -1, a rotation has +1; one axis is mirrored; rows must be x y z of one "
       "right-handed frame in the other"},
      {"--from matrix --to quaternion_wxyz --nearest -- 1 0 0 0 1 0 0 0 -1",
       "matrix is left-handed: det A = -1, a rotation has +1; one axis is mirrored; rows must be x y z of one "
       "right-handed frame in the other"},
      {"--from matrix --to quaternion_wxyz -- 1 0.1 0 0 1 0 0 0 1",
       "matrix is not orthogonal: an entry of AᵀA − I is 0.1 (tolerance 1e-06); the nearest rotation is 0.0707 away; "
       "--nearest takes that"},
      {"--from axis_angle --to matrix -- 0 0 2 1",
       "axis (0 0 2) has length 2, not 1 (tolerance 1e-06); divided by its length it would be 0 0 1; --nearest takes "
       "that"},
      {"--from axis_angle --to matrix -- 0 0 0 1",
       "axis (0 0 0) has length 0, not 1 (tolerance 1e-06); give the direction of the axis"},
      {"--from reduced --to matrix -- 1 1 0",
       "reduced Euler parameters (1 1 0) have length 1.41421356; at most 1, since the scalar is the square root of 1 - "
       "length^2; --nearest takes the nearest rotation, 0.414 away"},
      {"--from quaternion_wxyz --to rodrigues -- 0 1 0 0",
       "Rodrigues parameters have no finite value at this attitude: it is a singularity of 'rodrigues'; half turns are "
       "regular in mrp and in quaternions"},
      {"--from quaternion_wxyz --to euler:3-1-3 --rates-from body -- 1 0 0 0 1 2 3",
       "Euler angles have no finite rates at this attitude: it is a singularity of 'euler:3-1-3'; this is gimbal lock: "
       "give the angular velocity in body or space components instead"},
      {"--from euler:3-3-1 --to matrix -- 1 2 3",
       "Euler sequence '3-3-1': neighbouring axes must differ (two turns about one axis are one turn); known: 1-2-1 "
       "1-2-3 1-3-1 1-3-2 2-1-2 2-1-3 2-3-1 2-3-2 3-1-2 3-1-3 3-2-1 3-2-3"},
      {"--from euler --to matrix -- 1 2 3",
       "'euler' does not say in which order the axes are turned; add the sequence, such as euler:3-2-1 or "
       "euler:1-2-3:extrinsic"},
      {"--from euler:zyx --to matrix -- 1 2 3",
       "Euler sequence 'zyx': lower-case letters mean extrinsic in some programs and intrinsic in others; write the "
       "axes "
       "as numbers, such as 3-2-1 or 3-2-1:extrinsic"},
      {"--from euler:zYx@scipy --to matrix -- 1 2 3",
       "'euler:zYx' mixes upper-case and lower-case axes; intrinsic and extrinsic turns do not mix"},
      {"--from euler@scipy --to matrix -- 1 2 3",
       "scipy has no default Euler sequence; add it, such as euler:ZYX@scipy"},
      {"--from euler:3-2-1@eigen --to matrix -- 1 2 3",
       "'euler:3-2-1': eigen counts axes from 0, we count from 1; write the axes as letters, such as euler:ZYX@eigen"},
      {"--from euler:3-1-3@ros --to matrix -- 1 2 3",
       "'euler:3-1-3' is not what ros writes: its angles are 1-2-3:extrinsic; write euler@ros, or euler:3-1-3 without "
       "@"},
      {"--from quaternion_wxyz@scipy --to matrix -- 1 0 0 0",
       "'quaternion_wxyz' is not the order of scipy, which writes the scalar last; write quaternion@scipy, or "
       "quaternion_wxyz without @"},
      {"--from quaternion@eigen --to matrix -- 1 0 0 0",
       "eigen writes quaternions in two orders; say which: quaternion_wxyz@eigen or quaternion_xyzw@eigen"},
      {"--from matrix@matlab --to mrp -- 1 0 0 0 1 0 0 0 1",
       "the matrices of matlab come in two directions; write matrix@matlab-aerospace (space to body) or "
       "matrix@matlab-robotics (body to space)"},
      {"--from mrp@ros --to matrix -- 0 0 0",
       "the convention of ros for 'mrp' is not known here; known of ros: quaternion matrix euler; without @ros the "
       "name "
       "means our own convention"},
      {"--from quaternion --to matrix -- 1 0 0 0",
       "'quaternion' does not say where the scalar stands; write quaternion_wxyz (scalar first) or quaternion_xyzw "
       "(scalar last); or name the program that wrote it, such as quaternion@scipy"},
      {"--from quaternion_wxzy --to matrix -- 1 0 0 0",
       "unknown representation 'quaternion_wxzy'; known: quaternion_wxyz quaternion_xyzw matrix axis_angle "
       "rotation_vector rodrigues mrp reduced euler; did you mean 'quaternion_wxyz'?"},
      {"--from mrp:3 --to matrix -- 0 0 0",
       "'mrp' takes nothing but a direction after a colon, got '3'; write mrp, mrp:body-to-space or mrp:space-to-body"},
      {"--from mrp --to matrix --rates-from bodi -- 0 0 0 0 0 0",
       "unknown kind of rates 'bodi'; known: values body space none; did you mean 'body'?"},
      {"--from mrp --to matrix --rates-from none --rates-to body -- 0 0 0",
       "rates are asked for but none are given; say what the columns of rates in the input are: values, body or space"},
      {"--to matrix -- 1 0 0 0", "--from is missing; both are needed, such as --from quaternion_wxyz --to euler:3-2-1"},
      {"--from mrp --to matrix -i rows.csv -- 0 0 0",
       "values and -i are given together; give values after --, or a file with -i"},
      {"--from mrp --to matrix -i absent.csv", "cannot read 'absent.csv': No such file or directory"},
      {"--from mrp --to matrix -i -", "stdin holds no rows; one row of numbers a line"},
  };
  for (const Converted& bad : corpus) {
    CAPTURE(bad.arguments);
    const Workshop::Result result = shop.polhode(std::string("convert ") + bad.arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err == std::string("polhode: ") + bad.message + "\n");
  }
  CHECK(shop.count_files() == 0);
}

TEST_CASE("convert says what does not go together among rotations that follow, components that are turned and rates") {
  const Workshop shop;
  const std::vector<Converted> corpus{
      {"--from quaternion_wxyz --relative --to matrix -- 1 0 0 0",
       "--relative without --then; give the second rotation with --then REP; the inverse of one alone is "
       "REP:space-to-body"},
      {"--from quaternion_wxyz --vector body-to-space --to matrix -- 1 0 0 0 1 2 3",
       "--to beside --vector; what comes out are the components that are turned: leave out --to"},
      {"--from quaternion_wxyz --vector body-to-space --point body-to-space -- 1 0 0 0 1 2 3",
       "--vector and --point are given together; one of them"},
      {"--from quaternion_wxyz --vector to-space -- 1 0 0 0 1 2 3",
       "unknown direction 'to-space'; known: body-to-space space-to-body"},
      {"--from quaternion_wxyz --vector body-to-space --rates -- 1 0 0 0 1 2 3",
       "rates are asked for beside components that are turned; leave out --rates-to; --rates-from says of rate columns "
       "that are there, and they are passed over"},
      {"--from quaternion_wxyz --vector body-to-space -- 1 0 0 0 1 2",
       "values: 6 numbers; 7 needed: w x y z v_body_x v_body_y v_body_z"},
      {"--from quaternion_wxyz --then mrp --to matrix -- 1 0 0 0 1 2",
       "values: 6 numbers; 7 needed: w x y z then_s1 then_s2 then_s3"},
      {"--from quaternion_wxyz --to mrp --accelerations -- 1 0 0 0 0 1 0 0 5 0 0 0",
       "quaternion accelerations (5 0 0 0) are not those of a rotation with these rates: e·ë + ė·ė is 6, not 0 "
       "(tolerance 9e-06 of their size); without what is wrong along e they would be -1 0 0 0; --nearest takes that"},
  };
  for (const Converted& bad : corpus) {
    CAPTURE(bad.arguments);
    const Workshop::Result result = shop.polhode(std::string("convert ") + bad.arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err == std::string("polhode: ") + bad.message + "\n");
  }
  const auto object = nlohmann::json::parse(
      shop.polhode("convert --from quaternion_wxyz --then mrp --relative --to euler:3-2-1 --json -- 1 0 0 0 0 0 0")
          .out);
  CHECK(object.at("then") == nlohmann::json({"mrp"}));
  CHECK(object.at("relative") == true);
  const auto vector = nlohmann::json::parse(
      shop.polhode("convert --from quaternion_wxyz --vector space-to-body --json -- 1 0 0 0 1 2 3").out);
  CHECK(vector.at("to") == "vector space-to-body");
  CHECK(vector.at("values") == nlohmann::json({1, 2, 3}));
  // rates of the rows are passed over
  CHECK(shop.polhode("convert --from mrp --rates-from body --vector body-to-space -q", "0 0 0 7 8 9 1 2 3\n").out ==
        "1 2 3\n");
  // suggested after it: what converts alike
  CHECK(shop.polhode("convert --from mrp --then euler:3-2-1 --relative --to matrix -- 0 0 0 0 0 0")
            .err.find("--from mrp --then euler:3-2-1 --relative --to matrix -i FILE") != std::string::npos);
}

TEST_CASE("a scalar-last space-to-body quaternion becomes 3-1-3 angles in degrees") {
  // 90° about 3, 60° about 1, 30° about 3: e = (√3/4; √3/4 1/4 3/4) body to space, see tests/catalog
  const Workshop shop;
  const Workshop::Result result = shop.polhode(
      "convert --from quaternion_xyzw:space-to-body --to euler:3-1-3 --deg -- -0.4330127018922193 -0.25 -0.75 "
      "0.4330127018922193");
  CHECK(result.status == 0);
  CHECK(same_text(result.out, "90 60 30\n"));
  CHECK(shop.polhode("list representations").out.find("REP:space-to-body") != std::string::npos);
}

TEST_CASE("convert names file, line and column of every bad row, and leaves no output file") {
  const Workshop shop;
  shop.write("rows.csv", "w,x,y,z\n1,0,0,0\n# a comment\n1,0,0\n0.6,0.8,0,x\n\n0,0,0,0\n");
  const Workshop::Result result = shop.polhode("convert --from quaternion_wxyz --to mrp -i rows.csv -o out.csv");
  CHECK(result.status == 2);
  CHECK(result.err ==
        "polhode: rows.csv:4:1: 3 numbers; 4 needed: w x y z\n"
        "rows.csv:5:11: 'x' is not a number; a number is written like -1.5e-3\n"
        "rows.csv:7:1: quaternion (0 0 0 0) is zero: it describes no attitude; no rotation is 1 0 0 0\n");
  CHECK(shop.count_files() == 1);

  std::string many;
  for (int row = 0; row < 40; ++row) { many += "1 2\n"; }
  shop.write("many.txt", many);
  const std::string err = shop.polhode("convert --from mrp --to matrix -i many.txt").err;
  CHECK(std::count(err.begin(), err.end(), '\n') == 12);
  CHECK(err.ends_with("\n... and 29 more; 40 rows in all\n"));
}

TEST_CASE("convert reads CSV and blanks, header, comments, signs and exponents, and keeps the separator") {
  const Workshop shop;
  const std::string to_xyzw = "convert --from quaternion_wxyz --to quaternion_xyzw";
  CHECK(shop.polhode(to_xyzw, "w,x,y,z\n+1.0e0, -0, 0 ,0\r\n0.6,.8,0,0").out == "0,0,0,1\n0.8,0,0,0.6\n");
  CHECK(shop.polhode(to_xyzw, "\xEF\xBB\xBF# first\n\t1 0\t0 0 # identity\n").out == "0 0 0 1\n");
  CHECK(shop.polhode(to_xyzw + " --csv --header", "1;0;0;0\n").out == "x,y,z,w\n0,0,0,1\n");
  CHECK(shop.polhode(to_xyzw, "1;0;0;0\n").out == "0;0;0;1\n");
  shop.write("in.txt", "1 0 0 0\n");
  CHECK(shop.polhode(to_xyzw + " -i in.txt -o out.txt").status == 0);
  CHECK(shop.read("out.txt") == "0 0 0 1\n");
  CHECK(shop.count_files() == 2);
}

TEST_CASE("convert ended by a signal keeps every complete row, drops a cut one, and exits with 128 + its number") {
  const std::pair<const char*, int> signals[] = {{"INT", 130}, {"TERM", 143}, {"HUP", 129}};
  for (const auto& [name, status] : signals) {
    const std::string signal = name;
    CAPTURE(signal);
    const Workshop shop;
    const Workshop::Result result = shop.command(
        "mkfifo rows; polhode convert --from quaternion_wxyz --to quaternion_xyzw -i rows -o out.txt & pid=$!; "
        "exec 3>rows; printf '1 0 0 0\\n0.6 0.8 0 0\\n0.6 0.8 0' >&3; sleep 1; kill -" +
        signal + " $pid; wait $pid");
    CHECK(result.status == status);
    CHECK(result.err == "warning: interrupted after 2 rows; these are complete\n");
    CHECK(shop.read("out.txt") == "0 0 0 1\n0.8 0 0 0.6\n");
    CHECK(shop.count_files() == 2);  // the pipe and the output
  }
}

TEST_CASE("an output that is a pipe, a device or a link stays one, and a file keeps its permissions") {
  const Workshop shop;
  const std::string convert = "polhode convert --from quaternion_wxyz --to quaternion_xyzw -q -o ";
  CHECK(shop.command("mkfifo pipe; cat pipe >copy & " + convert + "pipe -- 1 0 0 0 && wait && test -p pipe").status ==
        0);
  CHECK(shop.read("copy") == "0 0 0 1\n");
  // a link to a device stands for the device: the device itself is not put at risk here
  CHECK(shop.command("ln -s /dev/null sink; " + convert + "sink -- 1 0 0 0 && test -L sink && test -c sink").status ==
        0);
  CHECK(shop.command("echo old >file; ln -s file link; ln -s link second; chmod 640 file; " + convert +
                     "second -- 1 0 0 0 && test -L second && test -L link && test ! -L file && ls -l file | grep -q "
                     "'^-rw-r-----'")
            .status == 0);
  CHECK(shop.read("file") == "0 0 0 1\n");
  // a link to nowhere: the file it names comes into being
  CHECK(shop.command("mkdir deep; ln -s deep/new dangling; " + convert + "dangling -- 1 0 0 0 && test -L dangling")
            .status == 0);
  CHECK(shop.read("deep/new") == "0 0 0 1\n");
  const Workshop::Result full = shop.command("ln -s /dev/full full; " + convert + "full -- 1 0 0 0");
  CHECK(full.status == 1);
  CHECK(full.err == "polhode: cannot write 'full': No space left on device\n");
  const Workshop::Result folder = shop.command(convert + "deep -- 1 0 0 0");
  CHECK(folder.status == 2);
  CHECK(folder.err == "polhode: cannot write 'deep': Is a directory\n");
}

TEST_CASE("convert --nearest takes the nearest rates of a rotation and says how far away they are") {
  const Workshop shop;
  const std::string convert = "convert --from quaternion_wxyz --to quaternion_wxyz --rates-from values --nearest";
  const Workshop::Result one = shop.polhode(convert + " -q -- 1 0 0 0 5 1 0 0");
  CHECK(one.status == 0);
  CHECK(one.out == "1 0 0 0 0 1 0 0\n");
  CHECK(one.err == "warning: the nearest rates of a rotation were taken, 5 away\n");
  const Workshop::Result rows = shop.polhode(convert + " -q", "1 0 0 0 0 1 0 0\n1 0 0 0 5 1 0 0\n2 0 0 0 0 2 0 0\n");
  CHECK(rows.out == "1 0 0 0 0 1 0 0\n1 0 0 0 0 1 0 0\n1 0 0 0 0 1 0 0\n");
  CHECK(rows.err ==
        "warning: the nearest rotation was taken in 1 of 3 rows; farthest away in row 3: 1\n"
        "warning: the nearest rates of a rotation were taken in 2 of 3 rows; farthest away in row 2: 5\n");
  const auto object = nlohmann::json::parse(shop.polhode(convert + " --json -- 1 0 0 0 5 1 0 0").out);
  CHECK(object.at("distance_to_rotation_rates") == 5);
  CHECK(object.at("projected_rates").at("distance") == 5);
}

TEST_CASE("convert says how far away the nearest rotation is, also where no number is as large") {
  const Workshop shop;
  const std::string convert = "convert --from quaternion_wxyz --to quaternion_wxyz --nearest -q -- ";
  CHECK(shop.polhode(convert + "1e308 1e308 1e308 1e308").err ==
        "warning: the nearest rotation was taken, more than 1.8e+308 away\n");
  CHECK(shop.polhode(convert + "1e308 1e308 0 0").err == "warning: the nearest rotation was taken, 1.41e+308 away\n");
}

TEST_CASE("the command suggested after convert converts alike, and after a file it converts back") {
  const Workshop shop;
  const auto next = [&](const std::string& arguments, const std::string& rows = "") {
    const std::string err = shop.polhode("convert " + arguments, rows).err;
    const std::size_t at = err.find("Next: polhode convert ");
    return at == std::string::npos ? err : err.substr(at + std::string_view("Next: polhode convert ").size());
  };
  CHECK(next("--from euler:3-2-1 --to quaternion_wxyz --deg --rates-to body -- 30 20 10 1 2 3") ==
        "--from euler:3-2-1 --to quaternion_wxyz --deg --rates-from values --rates-to body -i FILE\n");
  CHECK(next("--from mrp --to axis_angle --deg-out -- 0.1 0 0") == "--from mrp --to axis_angle --deg-out -i FILE\n");
  CHECK(next("--from euler:3-2-1 --to euler:3-1-3 --deg-in --deg-out -- 1 2 30") ==
        "--from euler:3-2-1 --to euler:3-1-3 --deg -i FILE\n");
  CHECK(next("--from quaternion_wxyz --to matrix --nearest --csv --header -- 1 0 0 0") ==
        "--from quaternion_wxyz --to matrix --nearest --header --csv -i FILE\n");
  CHECK(next("--from mrp --to matrix", "0.1 0 0\n") == "--from mrp --to matrix --header -i FILE -o OUTPUT\n");
  shop.write("mrp.txt", "0.1 0 0\n");
  CHECK(next("--from mrp --to matrix -i mrp.txt --header") == "--from mrp --to matrix --header -i mrp.txt -o OUTPUT\n");
  const std::string there = "--from mrp --to euler:3-1-3 --deg-out --rates-from body -i in.txt -o 'out file.txt'";
  shop.write("in.txt", "0.1 0.2 0 1 2 3\n");
  const std::string back = next(there);
  CHECK(back == "--from euler:3-1-3 --to mrp --deg-in --rates-from values --rates-to body -i 'out file.txt'\n");
  CHECK(same_text(shop.polhode("convert " + back.substr(0, back.size() - 1)).out, "0.1 0.2 0 1 2 3\n"));
  CHECK(next("--from mrp --to matrix -q -- 0 0 0").empty());
}

TEST_CASE("convert works through rows that cross the borders of its blocks") {
  const Workshop shop;
  std::string in;
  for (int row = 0; row < 60000; ++row) { in += "0.6,0.8,0,0," + std::to_string(row) + ",0,0\n"; }  // over 1 MiB
  const Workshop::Result result =
      shop.polhode("convert --from quaternion_wxyz --to quaternion_xyzw --rates-from body --rates-to body", in);
  CHECK(result.status == 0);
  std::stringstream lines(result.out);
  int row = 0;
  bool right = true;
  for (std::string line; std::getline(lines, line); ++row) {
    right = right && line == "0.8,0,0,0.6," + std::to_string(row) + ",0,0";
  }
  CHECK(row == 60000);
  CHECK(right);
}

TEST_CASE("convert warns near gimbal lock once, with condition number and the worst row") {
  const Workshop shop;
  const Workshop::Result one = shop.polhode("convert --from euler:3-2-1 --to euler:3-2-1 --deg -- 10 90 0");
  CHECK(one.status == 0);
  CHECK(one.err.starts_with("warning: euler:3-2-1 is near its singularity here: condition number "));
  const Workshop::Result many =
      shop.polhode("convert --from euler:3-1-3 --to euler:3-1-3 -q", "1 1 1\n1 0.01 1\n1 1e-3 1\n1 0.5 1\n");
  CHECK(
      many.err ==
      "warning: 2 of 4 rows are near the singularity of euler:3-1-3 (condition number above 100); the worst is row 3: "
      "condition number 2e+03, 0.001 rad from the singularity\n");
  CHECK(shop.polhode("convert --from mrp --to euler:3-1-3 -- 0 0 0").err.find("condition number inf") !=
        std::string::npos);
}

TEST_CASE("convert --json is one object with values, condition numbers and warnings") {
  const Workshop shop;
  const Workshop::Result one = shop.polhode("convert --from mrp --to euler:3-1-3 --json -- 0 0 0");
  CHECK(one.err.empty());
  const auto object = nlohmann::json::parse(one.out);
  CHECK(object.at("from") == "mrp");
  CHECK(object.at("to") == "euler:3-1-3");
  CHECK(object.at("values").size() == 3);
  CHECK(object.at("condition_number").is_null());
  CHECK(object.at("distance_to_singularity") == 0);
  CHECK(object.at("warnings").size() == 1);

  const auto rows = nlohmann::json::parse(
      shop.polhode("convert --from quaternion_wxyz --to matrix --nearest --json", "1 0 0 0\n2 0 0 0\n").out);
  CHECK(rows.at("count") == 2);
  CHECK(rows.at("rows").at(1).at("values") == nlohmann::json({1, 0, 0, 0, 1, 0, 0, 0, 1}));
  CHECK(rows.at("rows").at(1).at("distance_to_rotation") == 1);
  CHECK(rows.at("projected").at("worst_row") == 2);
}

TEST_CASE("the examples in the help of convert work") {
  const Workshop shop;
  shop.write("t-handle.run", "t_s,e0,e1,e2,e3\n0,1,0,0,0\n");  // a result is told by its content
  shop.write("poses.csv", "x,y,z,w\n0,0,0,1\n0.5,0.5,0.5,0.5\n");
  shop.write("robot.toml",
             "title = \"r\"\n[[bodies]]\nname = \"a\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n[run]\nduration = 1\n");
  const Workshop::Result help = shop.polhode("convert --help");
  CHECK(help.out.starts_with("Example:\n"));
  std::stringstream lines(help.out);
  int examples = 0;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (!line.starts_with("  polhode ")) { continue; }
    CAPTURE(line);
    CHECK(shop.command(line).status == 0);
    ++examples;
  }
  CHECK(examples == 8);
  CHECK(shop.read("angles.csv").starts_with("0,0,0\n1.570796326794"));
}

TEST_CASE("the commands in docs/conversions.md print what the page says") {
  const Workshop shop;
  std::ifstream page(std::string(POLHODE_SOURCE_DIR) + "/docs/conversions.md");
  REQUIRE(page.good());
  const std::string all(std::istreambuf_iterator<char>(page), {});
  const std::vector<PageCommand> commands = console_of(all);
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = shop.command(command);
    CHECK(same_text(result.out + without_next(result.err), expected));
  }
  CHECK(commands.size() >= 8);
}
