/* Records short logs of a free body with the Open Dynamics Engine, for tests/cases/audit_ode_*.csv.
 *
 *   apt-get install libode-dev
 *   cc -o ode_logs bench/logs/ode_logs.c $(pkg-config --cflags --libs ode)
 *   ./ode_logs tests/cases
 *
 * One file a setting; columns t, dBodyGetQuaternion (w x y z), dBodyGetAngularVel (space components). */
#include <ode/ode.h>
#include <stdio.h>

static void record(const char* folder, const char* name, int gyroscopic, int finite, double step) {
  dWorldID world = dWorldCreate();
  dBodyID body = dBodyCreate(world);
  dMass mass;
  dQuaternion start = {0.5, 0.1, -0.7, 0.5};
  dVector3 w;
  char path[1024];
  FILE* file;
  int i;
  dMassSetParameters(&mass, 1, 0, 0, 0, 0.02, 0.03, 0.04, 0, 0, 0);
  dBodySetMass(body, &mass);
  dBodySetQuaternion(body, start);
  dBodySetGyroscopicMode(body, gyroscopic);
  dBodySetFiniteRotationMode(body, finite);
  dBodySetAutoDisableFlag(body, 0);
  dBodyVectorToWorld(body, 1, 6, 2, w);
  dBodySetAngularVel(body, w[0], w[1], w[2]);

  snprintf(path, sizeof path, "%s/audit_ode_%s.csv", folder, name);
  file = fopen(path, "w");
  if (file == NULL) { return; }
  fprintf(file,
          "# Open Dynamics Engine 0.16.2 (LGPL 2.1 or BSD), recorded by bench/logs/ode_logs.c: free body, inertia 0.02 0.03 0.04,\n"
          "# gyroscopic mode %d, finite rotation mode %d, dWorldStep of %g, %s; no gravity, no contact\n"
          "t,qw,qx,qy,qz,wx,wy,wz\n",
          gyroscopic, finite, step, sizeof(dReal) == 8 ? "double" : "single");
  for (i = 0; i < 400; ++i) {
    const dReal* q = dBodyGetQuaternion(body);
    const dReal* rate = dBodyGetAngularVel(body);
    fprintf(file, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", i * step, q[0], q[1], q[2], q[3], rate[0], rate[1], rate[2]);
    dWorldStep(world, step);
  }
  fclose(file);
  dWorldDestroy(world);
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : ".";
  dInitODE2(0);
  record(folder, "default", 1, 0, 0.02);
  record(folder, "finite", 1, 1, 0.02);
  record(folder, "no_gyro", 0, 0, 0.02);
  dCloseODE();
  return 0;
}
