// Records short logs of a free body with Bullet, for tests/cases/audit_bullet_*.csv.
//
//   apt-get install libbullet-dev
//   g++ -O1 -o bullet_logs bench/logs/bullet_logs.cpp $(pkg-config --cflags --libs bullet)
//   ./bullet_logs tests/cases
//
// One file a setting; columns t, getRotation (x y z w), getAngularVelocity (space components).
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <string>

namespace {

void record(const std::string& folder, const char* name, int flags, btScalar damping, btScalar step) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, 0});
  btSphereShape shape(btScalar(0.1));
  btRigidBody::btRigidBodyConstructionInfo info(1, nullptr, &shape, {btScalar(0.02), btScalar(0.03), btScalar(0.04)});
  info.m_startWorldTransform.setIdentity();
  info.m_startWorldTransform.setRotation(
      btQuaternion(btScalar(0.1), btScalar(-0.7), btScalar(0.5), btScalar(0.5)).normalized());
  info.m_angularDamping = damping;
  btRigidBody body(info);
  body.setFlags(flags);
  body.setActivationState(DISABLE_DEACTIVATION);
  body.setAngularVelocity(body.getWorldTransform().getBasis() * btVector3(1, 6, 2));
  world.addRigidBody(&body);

  std::FILE* file = std::fopen((folder + "/audit_bullet_" + name + ".csv").c_str(), "w");
  if (file == nullptr) { return; }
  std::fprintf(file,
               "# Bullet %d.%02d (zlib licence), recorded by bench/logs/bullet_logs.cpp: free body, local inertia 0.02 "
               "0.03 0.04,\n"
               "# rigid body flags %d, angular damping %g, fixed step %g, %d-byte scalars; no gravity, no contact\n"
               "t,qx,qy,qz,qw,wx,wy,wz\n",
               btGetVersion() / 100, btGetVersion() % 100, flags, double(damping), double(step), int(sizeof(btScalar)));
  for (int i = 0; i < 400; ++i) {
    const btQuaternion q = body.getWorldTransform().getRotation();
    const btVector3& w = body.getAngularVelocity();
    std::fprintf(file, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", i * double(step), double(q.x()), double(q.y()),
                 double(q.z()), double(q.w()), double(w.x()), double(w.y()), double(w.z()));
    world.stepSimulation(step, 0);
  }
  std::fclose(file);
  world.removeRigidBody(&body);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const btScalar step = btScalar(1.0 / 60);
  record(folder, "default", BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY, 0, step);
  record(folder, "no_gyro", 0, 0, step);
  record(folder, "explicit", BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT, 0, btScalar(1.0 / 240));
  record(folder, "damped", BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY, btScalar(0.05), step);
}
