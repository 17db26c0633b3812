using System.Globalization;

namespace Spate.Tests.Contracts;

/// <summary>Randomness that can be repeated: SPATE_SEED, or a new seed, which the test's output shows.</summary>
internal static class Seed
{
    public static Random NewRandom()
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
