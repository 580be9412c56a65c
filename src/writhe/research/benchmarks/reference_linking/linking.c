/* The loops of kernels/topology/gauss_linking.py in C, for comparison. ROW, TILE, TILE_COLUMNS, LANES,
 * COINCIDENT and EDGE_FLOOR are given on the command line, so that both sides do the same work. */
#include <math.h>

#define PI 3.14159265358979323846
#define X 0
#define Y (ROW)
#define Z (2 * ROW)
#define L (3 * ROW)
#define W (4 * ROW)

static inline double upper_angle(double y, double x) {
    double width = fabs(x);
    int steep = y > width;
    double high = steep ? y : width, low = steep ? width : y;
    int diagonal = low > 0.41421356237309503 * high;
    double t = (diagonal ? low - high : low) / (diagonal ? low + high : high);
    double z = t * t, z2 = z * z, z4 = z2 * z2;
    double top =
        (-0.01917688711906226 * z2 + (0.03923165829558719 * z - 0.0508544973794026)) * z4 * z4;
    double middle = ((0.0585814891280221 * z - 0.06664511447381948) * z2 +
                     (0.07692183190826087 * z - 0.09090904578123903)) *
                    z4;
    double bottom = (0.11111111015256361 * z - 0.14285714284666542) * z2 +
                    (0.1999999999999552 * z - 0.3333333333333333);
    double angle = t + t * z * (top + middle + bottom) + (diagonal ? 0.25 * PI : 0.0);
    angle = steep ? 0.5 * PI - angle : angle;
    return x < 0.0 ? PI - angle : angle;
}

static inline int ends_coincide(double l1, double l2, double l3, double l4) {
    double small_12 = l1 < l2 ? l1 : l2, large_12 = l1 < l2 ? l2 : l1;
    double small_34 = l3 < l4 ? l3 : l4, large_34 = l3 < l4 ? l4 : l3;
    double small = small_12 < small_34 ? small_12 : small_34;
    double large = large_12 > large_34 ? large_12 : large_34;
    return small <= COINCIDENT * large;
}

static void fill_tile(const double *restrict first, long rows, const double *restrict second,
                      long columns, double *restrict tile) {
    for (long i = 0; i < rows; i++) {
        double x = first[3 * i], y = first[3 * i + 1], z = first[3 * i + 2];
        double *row = tile + i * columns;
        for (long j = 0; j < columns; j++) {
            row[X + j] = second[3 * j] - x;
            row[Y + j] = second[3 * j + 1] - y;
            row[Z + j] = second[3 * j + 2] - z;
        }
    }
    for (long g = 0; g < ((rows * columns + LANES - 1) & -LANES); g++)
        tile[L + g] =
            sqrt(tile[X + g] * tile[X + g] + tile[Y + g] * tile[Y + g] + tile[Z + g] * tile[Z + g]);
}

#define LOAD_CORNERS                                                                          \
    double x1 = tile[X + g], y1 = tile[Y + g], z1 = tile[Z + g], l1 = tile[L + g];            \
    double x2 = tile[X + 1 + g], y2 = tile[Y + 1 + g], z2 = tile[Z + 1 + g],                  \
           l2 = tile[L + 1 + g];                                                              \
    double x3 = below[X + 1 + g], y3 = below[Y + 1 + g], z3 = below[Z + 1 + g],               \
           l3 = below[L + 1 + g];                                                             \
    double x4 = below[X + g], y4 = below[Y + g], z4 = below[Z + g], l4 = below[L + g];

static void tile_linking(const double *restrict tile, long count, long columns,
                         double *restrict out) {
    const double *below = tile + columns;
    for (long g = 0; g < ((count + LANES - 1) & -LANES); g++) {
        LOAD_CORNERS
        double volume = (x1 - x4) * (y1 * z2 - z1 * y2) + (y1 - y4) * (z1 * x2 - x1 * z2) +
                        (z1 - z4) * (x1 * y2 - y1 * x2);
        double dot12 = x1 * x2 + y1 * y2 + z1 * z2, dot23 = x2 * x3 + y2 * y3 + z2 * z3;
        double dot34 = x3 * x4 + y3 * y4 + z3 * z4, dot14 = x1 * x4 + y1 * y4 + z1 * z4;
        double dot13 = x1 * x3 + y1 * y3 + z1 * z3;
        double d1 = (l1 * l2 + dot12) * l3 + dot13 * l2 + dot23 * l1;
        double d2 = (l3 * l4 + dot34) * l1 + dot13 * l4 + dot14 * l3;
        double angle =
            upper_angle(fabs(volume * (d1 + d2)), d1 * d2 - volume * volume) / (2.0 * PI);
        double sign = volume < 0.0 ? -angle : angle;
        int nothing = (volume == 0.0) | ends_coincide(l1, l2, l3, l4);
        out[g] = nothing ? 0.0 : sign;
    }
}

#define EDGE(e, u, w)                                                                         \
    double size_##e = l##u * l##w;                                                            \
    double cosine_##e = size_##e + x##u * x##w + y##u * y##w + z##u * z##w;                   \
    double least_##e = EDGE_FLOOR * size_##e;                                                 \
    double weight_##e = 1.0 / (cosine_##e > least_##e ? cosine_##e : least_##e);              \
    weight_##e = size_##e == 0.0 ? 0.0 : weight_##e;                                          \
    double e##x = weight_##e * (y##u * z##w - z##u * y##w);                                   \
    double e##y = weight_##e * (z##u * x##w - x##u * z##w);                                   \
    double e##z = weight_##e * (x##u * y##w - y##u * x##w);

static void tile_gradients(double *restrict tile, long count, long columns, double *restrict out) {
    const double *below = tile + columns;
    for (long g = 0; g < count + columns + 1; g++) tile[W + g] = 0.25 / PI / tile[L + g];
    for (long g = 0; g < ((count + LANES - 1) & -LANES); g++) {
        LOAD_CORNERS
        EDGE(e, 1, 2) EDGE(f, 2, 3) EDGE(g, 3, 4) EDGE(h, 4, 1)
        int nothing = ends_coincide(l1, l2, l3, l4);
        double by1 = nothing ? 0.0 : tile[W + g], by2 = nothing ? 0.0 : tile[W + 1 + g];
        double by4 = nothing ? 0.0 : below[W + g], by3 = nothing ? 0.0 : below[W + 1 + g];
        x1 = by1 * (hx + ex), y1 = by1 * (hy + ey), z1 = by1 * (hz + ez);
        x2 = by2 * (ex + fx), y2 = by2 * (ey + fy), z2 = by2 * (ez + fz);
        x3 = by3 * (fx + gx), y3 = by3 * (fy + gy), z3 = by3 * (fz + gz);
        x4 = by4 * (gx + hx), y4 = by4 * (gy + hy), z4 = by4 * (gz + hz);
        out[g] = -x1 - x2, out[ROW + g] = -y1 - y2, out[2 * ROW + g] = -z1 - z2;
        out[3 * ROW + g] = -x3 - x4, out[4 * ROW + g] = -y3 - y4, out[5 * ROW + g] = -z3 - z4;
        out[6 * ROW + g] = x1 + x4, out[7 * ROW + g] = y1 + y4, out[8 * ROW + g] = z1 + z4;
        out[9 * ROW + g] = x2 + x3, out[10 * ROW + g] = y2 + y3, out[11 * ROW + g] = z2 + z3;
    }
}

static long min_of(long a, long b) { return a < b ? a : b; }

static long even_part(long whole, long most) {
    long parts = (whole + most - 1) / most;
    return (whole + parts - 1) / parts;
}

/* gradients may be null: then the values alone are computed. */
void linking_matrix(const double *first, long m, const double *second, long n, double *tile,
                    double *values, double *tile_out, double *out, double *gradients) {
    long width = even_part(n, TILE_COLUMNS - 1);
    long height = even_part(m, TILE / (width + 1) - 1);
    for (long i0 = 0; i0 < m; i0 += height) {
        long rows = min_of(height, m - i0);
        for (long j0 = 0; j0 < n; j0 += width) {
            long columns = min_of(width, n - j0) + 1;
            fill_tile(first + 3 * i0, rows + 1, second + 3 * j0, columns, tile);
            tile_linking(tile, rows * columns, columns, values);
            if (gradients) tile_gradients(tile, rows * columns, columns, tile_out);
            for (long i = 0; i < rows; i++) {
                for (long j = 0; j < columns - 1; j++)
                    out[(i0 + i) * n + j0 + j] = values[i * columns + j];
                if (!gradients) continue;
                for (long k = 0; k < 12; k++)
                    for (long j = 0; j < columns - 1; j++)
                        gradients[(k * m + i0 + i) * n + j0 + j] =
                            tile_out[k * ROW + i * columns + j];
            }
        }
    }
}
