#!/usr/bin/env python3
"""Writes examples/wing-nut.obj: an octagonal nut with a bore along z and two wings in the plane of y and z, in mm.

    python3 tools/wing_nut.py >examples/wing-nut.obj
"""

HEIGHT = 8.0
OUTER, INNER = 6.0, 2.5  # from the axis to the flats of nut and bore
TAN = 0.41421356  # of 22.5 degrees
# of a wing: y, lowest z, highest z, half of the thickness; the first lies in a flat of the nut
SECTIONS = [
    (6.0, 1.5, 7.0, 1.5),
    (8.5, 3.0, 10.0, 1.4),
    (11.0, 6.0, 14.0, 1.3),
    (13.5, 9.5, 17.0, 1.2),
    (15.5, 13.0, 17.5, 1.1),
    (16.5, 14.5, 16.5, 1.0),
]

vertices = []
faces = []


def vertex(x, y, z):
    point = tuple(round(c, 4) + 0.0 for c in (x, y, z))
    if point not in vertices:
        vertices.append(point)
    return vertices.index(point) + 1


def face(*points):
    faces.append([vertex(*p) for p in points])


def octagon(flat, z):
    """Counter-clockwise seen from above; edge 2 is the flat at +y, edge 6 that at -y."""
    s = flat * TAN
    corners = [(flat, -s), (flat, s), (s, flat), (-s, flat), (-flat, s), (-flat, -s), (-s, -flat), (s, -flat)]
    return [(x, y, z) for x, y in corners]


def rectangle(side, section):
    """Counter-clockwise seen from the end of the wing; side is +1 for the wing at +y, -1 for the other."""
    y, low, high, half = section
    return [(side * half, side * y, low), (-side * half, side * y, low), (-side * half, side * y, high), (side * half, side * y, high)]


bottom, top = octagon(OUTER, 0.0), octagon(OUTER, HEIGHT)
bore_bottom, bore_top = octagon(INNER, 0.0), octagon(INNER, HEIGHT)
for i in range(8):
    j = (i + 1) % 8
    face(top[i], top[j], bore_top[j], bore_top[i])
    face(bottom[j], bottom[i], bore_bottom[i], bore_bottom[j])
    face(bore_bottom[j], bore_bottom[i], bore_top[i], bore_top[j])
    if i not in (2, 6):
        face(bottom[i], bottom[j], top[j], top[i])
        continue
    # a flat with a wing: a frame around the first section, then from section to section, then the end
    rings = [[bottom[i], bottom[j], top[j], top[i]]] + [rectangle(1 if i == 2 else -1, s) for s in SECTIONS]
    for a, b in zip(rings, rings[1:]):
        for k in range(4):
            face(a[k], a[(k + 1) % 4], b[(k + 1) % 4], b[k])
    face(*rings[-1])

print("# A wing nut in mm, bore along z. Made by tools/wing_nut.py.")
for x, y, z in vertices:
    print(f"v {x:g} {y:g} {z:g}")
for corners in faces:
    print("f", *corners)
