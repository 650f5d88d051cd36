// SPDX-License-Identifier: MIT
// reference IN.ppm OUT.ppm: the pipeline on the CPU alone, in plain C++ and with no CUDA at all, for the
// tests to compare with. Written apart from pipeline.h on purpose: another way to compute the same.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct image {
    int width = 0, height = 0;
    std::vector<unsigned char> rgb;

    int at(int x, int y, int c) const
    {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return rgb[3 * (static_cast<size_t>(y) * width + x) + c];
    }

    int grey(int x, int y) const
    {
        return (at(x, y, 0) * 77 + at(x, y, 1) * 150 + at(x, y, 2) * 29) / 256;
    }
};

static image load(const char *path)
{
    image im;
    FILE *f = fopen(path, "rb");

    if (!f || fscanf(f, "P6 %d %d 255", &im.width, &im.height) != 2) {
        exit(2);
    }
    fgetc(f);
    im.rgb.resize(3 * static_cast<size_t>(im.width) * im.height);
    if (fread(im.rgb.data(), 1, im.rgb.size(), f) != im.rgb.size()) {
        exit(2);
    }
    fclose(f);
    return im;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    image in = load(argv[1]), blurred = in, out = in;
    int low = 255, high = 0;

    for (int y = 0; y < in.height; y++) {
        for (int x = 0; x < in.width; x++) {
            int g = in.grey(x, y);

            low = g < low ? g : low;
            high = g > high ? g : high;
        }
    }
    for (unsigned char &v : in.rgb) {
        int s = high > low ? (v - low) * 255 / (high - low) : v;

        v = static_cast<unsigned char>(s < 0 ? 0 : s > 255 ? 255 : s);
    }
    for (size_t i = 0; i < in.rgb.size(); i++) {
        int c = i % 3, x = i / 3 % in.width, y = static_cast<int>(i / 3 / in.width);
        int corner = in.at(x - 1, y - 1, c) + in.at(x + 1, y - 1, c) + in.at(x - 1, y + 1, c) +
                     in.at(x + 1, y + 1, c);
        int side = in.at(x, y - 1, c) + in.at(x, y + 1, c) + in.at(x - 1, y, c) + in.at(x + 1, y, c);

        blurred.rgb[i] = static_cast<unsigned char>((corner + 2 * side + 4 * in.at(x, y, c)) / 16);
    }
    for (size_t i = 0; i < in.rgb.size(); i++) {
        int x = i / 3 % in.width, y = static_cast<int>(i / 3 / in.width);
        auto g = [&](int dx, int dy) { return blurred.grey(x + dx, y + dy); };
        int gx = g(1, -1) - g(-1, -1) + 2 * (g(1, 0) - g(-1, 0)) + g(1, 1) - g(-1, 1);
        int gy = g(-1, 1) - g(-1, -1) + 2 * (g(0, 1) - g(0, -1)) + g(1, 1) - g(1, -1);
        int edge = abs(gx) + abs(gy);

        out.rgb[i] = static_cast<unsigned char>(blurred.rgb[i] * (127 - (edge > 127 ? 127 : edge)) / 127);
    }
    FILE *f = fopen(argv[2], "wb");
    if (!f) {
        return 2;
    }
    fprintf(f, "P6\n%d %d\n255\n", in.width, in.height);
    fwrite(out.rgb.data(), 1, out.rgb.size(), f);
    return fclose(f) ? 2 : 0;
}
