using Spate.Cli.Shell.Getopt;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>The names of code points of differentiated services (RFC 2474, 2597, 3246, 5865, 8622).</summary>
internal static class DscpNames
{
    private const int MaxCodePoint = 63;

    // The two low bits of the traffic class are for ECN (RFC 3168).
    private const int EcnBits = 2;

    private static readonly Dictionary<string, int> CodePoints = new(StringComparer.OrdinalIgnoreCase)
    {
        ["cs0"] = 0,
        ["cs1"] = 8,
        ["cs2"] = 16,
        ["cs3"] = 24,
        ["cs4"] = 32,
        ["cs5"] = 40,
        ["cs6"] = 48,
        ["cs7"] = 56,
        ["af11"] = 10,
        ["af12"] = 12,
        ["af13"] = 14,
        ["af21"] = 18,
        ["af22"] = 20,
        ["af23"] = 22,
        ["af31"] = 26,
        ["af32"] = 28,
        ["af33"] = 30,
        ["af41"] = 34,
        ["af42"] = 36,
        ["af43"] = 38,
        ["ef"] = 46,
        ["le"] = 1,
        ["voice-admit"] = 44,
    };

    public static int ReadTrafficClass(GetoptChoice choice)
    {
        if (CodePoints.TryGetValue(choice.Text, out int codePoint)) return codePoint << EcnBits;

        return char.IsAsciiDigit(choice.Text.FirstOrDefault())
            ? choice.ReadAnyBase(MaxCodePoint) << EcnBits
            : throw choice.Wrong("a number from 0 to 63, or a name such as cs1, af41 or ef");
    }
}
