using System.Globalization;

namespace Spate.TestHelpers.Runs;

/// <summary>
/// The seed of random tests: SPATE_SEED if set, and always printed, so that a failure can be repeated.
/// </summary>
internal static class RandomCase
{
    public static Random Create()
    {
        string? asked = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = asked is null ? Random.Shared.Next() : int.Parse(asked, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
