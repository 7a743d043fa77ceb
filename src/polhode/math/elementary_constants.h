#pragma once

// Written by tools/elementary_coefficients.py; do not edit.

#include <cstdint>

// clang-format off
namespace polhode::math::portable {

/// 2/π and π/2 in parts of 37 fraction bits, 37 more, the rest.
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kHalfPiPart1 = 0x1.921fb54440000p+0;
inline constexpr double kHalfPiPart2 = 0x1.68c234c4c0000p-39;
inline constexpr double kHalfPiPart3 = 0x1.98a2e03707345p-77;
/// sin r = r + r³ p(r²), |r| ≤ π/4; relative error 2^-55.5.
inline constexpr double kSin[] = {-0x1.5555555555555p-3, 0x1.1111111110bb2p-7, -0x1.a01a019e83816p-13, 0x1.71de379654304p-19, -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33};
/// cos r = 1 - r²/2 + r⁴ p(r²), |r| ≤ π/4; relative error 2^-59.5.
inline constexpr double kCos[] = {0x1.5555555555555p-5, -0x1.6c16c16c16967p-10, 0x1.a01a019f4e9b4p-16, -0x1.27e4fa17bf139p-22, 0x1.1eeb68cd22f56p-29, -0x1.907d8f29fe831p-37};

/// atan u = u + u³ p(u²), |u| ≤ 1/4; relative error 2^-59.7.
inline constexpr double kAtan[] = {-0x1.5555555555555p-2, 0x1.9999999999819p-3, -0x1.249249246a2b1p-3, 0x1.c71c719374d48p-4, -0x1.745d06943897bp-4, 0x1.3b10a6f881493p-4, -0x1.10bd5ff407ca7p-4, 0x1.d7488b9673278p-5, -0x1.5024ffd7c3d2bp-5};
inline constexpr double kPiHigh = 0x1.921fb54442d18p+1;
inline constexpr double kPiLow = 0x1.1a62633145c07p-53;
inline constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
inline constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
inline constexpr double kAtanOneHigh = 0x1.921fb54442d18p-1;
inline constexpr double kAtanOneLow = 0x1.1a62633145c07p-55;
inline constexpr double kAtanHalfHigh = 0x1.dac670561bb4fp-2;
inline constexpr double kAtanHalfLow = 0x1.a2b7f222f65e2p-56;

/// ln 2 in parts (42 fraction bits, the rest).
inline constexpr double kLn2High = 0x1.62e42fefa3800p-1;
inline constexpr double kLn2Low = 0x1.ef35793c76730p-45;
/// sinh r = r + r³ p(r²), |r| ≤ ln 2 / 2; relative error 2^-58.9.
inline constexpr double kSinh[] = {0x1.5555555555556p-3, 0x1.11111111109b4p-7, 0x1.a01a01a7c3869p-13, 0x1.71de0db0ad456p-19, 0x1.af38a44046c41p-26};
/// cosh r = 1 + r²/2 + r⁴ p(r²), |r| ≤ ln 2 / 2; relative error 2^-64.3.
inline constexpr double kCosh[] = {0x1.5555555555555p-5, 0x1.6c16c16c167e2p-10, 0x1.a01a01a47aaf2p-16, 0x1.27e4e1f5d3b96p-22, 0x1.1f66dc642d308p-29};

inline constexpr double kInverseLn2High = 0x1.71547652b82fep+0;
inline constexpr double kInverseLn2Low = 0x1.777d0ffda0d24p-56;
inline constexpr double kInverseLn10High = 0x1.bcb7b1526e50ep-2;
inline constexpr double kInverseLn10Low = 0x1.95355baaafad3p-57;
inline constexpr double kLogFirst = 0x1.6a00000000000p-1;  // the mantissas m of log lie in [kLogFirst, 2 kLogFirst)
inline constexpr int kLogTableBits = 6;
/// log(1 + r) = r - r²/2 + r³ p(r), |r| ≤ 0.00793; relative error 2^-69.4.
inline constexpr double kLog[] = {0x1.5555555555555p-2, -0x1.0000000000031p-2, 0x1.99999999999f3p-3, -0x1.555555496a6dep-3, 0x1.24924919bcbbap-3, -0x1.0005c6d8d3e2bp-3, 0x1.c726f297db1f3p-4};
/// c ≈ 1/m with 10 fraction bits, and -log c in parts (42 fraction bits, the rest).
struct LogRow {
  double c;
  double high;
  double low;
};
inline constexpr LogRow kLogTable[] = {
    {0x1.6800000000000p+0, -0x1.5d1bdbf581000p-2, 0x1.8d6bdc9c7c238p-44},
    {0x1.6440000000000p+0, -0x1.5262deeb99000p-2, 0x1.e1b9f70894a01p-44},
    {0x1.6040000000000p+0, -0x1.46d2d9c280000p-2, -0x1.59b275f67f75ap-44},
    {0x1.5c80000000000p+0, -0x1.3bdd24eb15000p-2, 0x1.257b4970e6ed9p-44},
    {0x1.5900000000000p+0, -0x1.31871c9544000p-2, -0x1.84fab94cecfd9p-46},
    {0x1.5540000000000p+0, -0x1.26561f1338000p-2, -0x1.8b48866faa45fp-44},
    {0x1.51c0000000000p+0, -0x1.1bc794fd1d000p-2, 0x1.ccf0c747ba7bep-44},
    {0x1.4e40000000000p+0, -0x1.111ce4003f000p-2, 0x1.b3237096b4b6bp-46},
    {0x1.4b00000000000p+0, -0x1.071b85fcd6000p-2, 0x1.bcb8ba3e01a11p-44},
    {0x1.47c0000000000p+0, -0x1.fa01c3bb58000p-3, 0x1.a1f71fae1d786p-46},
    {0x1.4480000000000p+0, -0x1.e598ed5a88000p-3, 0x1.d134bcf1e98a1p-47},
    {0x1.4140000000000p+0, -0x1.d0fb7f2256000p-3, 0x1.af52b20633b29p-47},
    {0x1.3e40000000000p+0, -0x1.bdc46ae344000p-3, -0x1.625b4023d6505p-44},
    {0x1.3b00000000000p+0, -0x1.a8becfc882000p-3, -0x1.e3185cf21b9cfp-44},
    {0x1.3800000000000p+0, -0x1.9525a9cf46000p-3, 0x1.297137d9f158fp-44},
    {0x1.3540000000000p+0, -0x1.83040c91bc000p-3, -0x1.e5b71c6e66f32p-44},
    {0x1.3240000000000p+0, -0x1.6f0d28ae56000p-3, -0x1.69737c93373dap-44},
    {0x1.2f80000000000p+0, -0x1.5c94007598000p-3, 0x1.a8d948cd23322p-44},
    {0x1.2c80000000000p+0, -0x1.483bccce6e000p-3, -0x1.eea52723f6369p-46},
    {0x1.2a00000000000p+0, -0x1.371fc201e8000p-3, -0x1.ee8779b2d8abcp-44},
    {0x1.2740000000000p+0, -0x1.2423113ba6000p-3, 0x1.e3a0078ee9d9cp-44},
    {0x1.2480000000000p+0, -0x1.10f8e42254000p-3, 0x1.93b3843396307p-45},
    {0x1.2200000000000p+0, -0x1.fec9131dc0000p-4, 0x1.54555d1ae6607p-44},
    {0x1.1f80000000000p+0, -0x1.db5270187c000p-4, -0x1.9277856ae181fp-44},
    {0x1.1d00000000000p+0, -0x1.b78c82bb10000p-4, 0x1.25ef7bc3987e7p-44},
    {0x1.1a80000000000p+0, -0x1.9375e55594000p-4, -0x1.eddc37380c364p-44},
    {0x1.1800000000000p+0, -0x1.6f0d28ae58000p-4, 0x1.4b4641b664613p-44},
    {0x1.15c0000000000p+0, -0x1.4e01108a34000p-4, -0x1.ae5cfdf2c5ae5p-44},
    {0x1.1340000000000p+0, -0x1.28f83450ec000p-4, -0x1.a8d75aa119769p-44},
    {0x1.1100000000000p+0, -0x1.0759835990000p-4, 0x1.b8ecfe4b59987p-44},
    {0x1.0ec0000000000p+0, -0x1.cae72fb960000p-5, 0x1.efabf2025b1bep-44},
    {0x1.0c80000000000p+0, -0x1.868a830840000p-5, 0x1.2623a134ac693p-46},
    {0x1.0a80000000000p+0, -0x1.494acc34d8000p-5, -0x1.11c78a56fd247p-45},
    {0x1.0840000000000p+0, -0x1.03d5d85e70000p-5, -0x1.f778960ed29cfp-44},
    {0x1.0640000000000p+0, -0x1.8b31facaa0000p-6, 0x1.3fc78a96e4964p-44},
    {0x1.0400000000000p+0, -0x1.fc0a8b0fc0000p-7, -0x1.f1e7cf6d3a69cp-50},
    {0x1.0200000000000p+0, -0x1.fe02a6b100000p-8, -0x1.9e23f0dda40e4p-46},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.f800000000000p-1, 0x1.0205658930000p-6, 0x1.611d27c8e8417p-44},
    {0x1.f080000000000p-1, 0x1.f7a9b16780000p-6, 0x1.42ad9271be7d7p-45},
    {0x1.e900000000000p-1, 0x1.788595a358000p-5, -0x1.08b0d083b3a4cp-46},
    {0x1.e200000000000p-1, 0x1.eea31c0068000p-5, 0x1.c3dd83606d891p-44},
    {0x1.db00000000000p-1, 0x1.333d7f8184000p-4, -0x1.692b6a81b8848p-49},
    {0x1.d400000000000p-1, 0x1.700d30aeac000p-4, 0x1.c1e8da99ded32p-49},
    {0x1.cd80000000000p-1, 0x1.a956d3ecac000p-4, 0x1.e63794c02c4afp-44},
    {0x1.c700000000000p-1, 0x1.e3707ee304000p-4, 0x1.0f684e6766abdp-45},
    {0x1.c100000000000p-1, 0x1.0ce7ecdccc000p-3, 0x1.4652dabff5447p-46},
    {0x1.bb00000000000p-1, 0x1.28753bc11a000p-3, 0x1.7494e359302e6p-44},
    {0x1.b500000000000p-1, 0x1.4462b9dc9c000p-3, -0x1.84858a711b062p-44},
    {0x1.af00000000000p-1, 0x1.60b3100b0a000p-3, -0x1.71456c988f814p-44},
    {0x1.a980000000000p-1, 0x1.7b00916516000p-3, -0x1.ae75fcb067e57p-44},
    {0x1.a400000000000p-1, 0x1.95a5adcf70000p-3, 0x1.7f22858a0ff6fp-47},
    {0x1.9f00000000000p-1, 0x1.ae2ca6f672000p-3, 0x1.7a8d5ae54f550p-44},
    {0x1.9980000000000p-1, 0x1.c97f8079d4000p-3, 0x1.3b161a8c6e6c5p-45},
    {0x1.9480000000000p-1, 0x1.e2a877a6b2000p-3, 0x1.823817787081ap-44},
    {0x1.8f80000000000p-1, 0x1.fc218be620000p-3, 0x1.4bba46f1cf6a0p-44},
    {0x1.8b00000000000p-1, 0x1.09aa572e6c000p-2, 0x1.b50a1e1734342p-44},
    {0x1.8600000000000p-1, 0x1.16b5ccbad0000p-2, -0x1.23299042d74bfp-44},
    {0x1.8180000000000p-1, 0x1.22981fbef8000p-2, -0x1.a1421609580dap-44},
    {0x1.7d00000000000p-1, 0x1.2e9e2bce12000p-2, 0x1.4300c128d1dc2p-45},
    {0x1.7880000000000p-1, 0x1.3ac8ca38e6000p-2, -0x1.d0befbc02be4ap-45},
    {0x1.7480000000000p-1, 0x1.45b8c0a17e000p-2, -0x1.d9120e7d0a853p-47},
    {0x1.7000000000000p-1, 0x1.522ae0738a000p-2, 0x1.ebe708164c759p-45},
    {0x1.6c00000000000p-1, 0x1.5d5bddf596000p-2, -0x1.a0b2a08a465dcp-47},
};

inline constexpr double kCbrt2 = 0x1.428a2f98d728bp+0;
inline constexpr double kCbrt4 = 0x1.965fea53d6e3dp+0;
/// ∛m ≈ p(m), 1 ≤ m ≤ 2; relative error 2^-13.3.
inline constexpr double kCbrtStart[] = {0x1.1c90a1fb8969fp-1, 0x1.296213a52f037p-1, -0x1.44f0d2e8403a6p-3, 0x1.6ae260afe5091p-6};

/// The first 1344 bits of 2/π after the point, 32 in a word.
inline constexpr std::uint32_t kTwoOverPiBits[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du, 0xa9e39161u, 0x5ee61b08u,
};

}  // namespace polhode::math::portable
// clang-format on
