// Planted: must not compile with -fno-exceptions.
int planted(int x) {
  if (x < 0) { throw x; }
  return x;
}
