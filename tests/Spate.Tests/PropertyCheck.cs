using System.Globalization;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;

namespace Spate.Tests;

/// <summary>Checks properties on random values. The seed is SPATE_SEED if set, and it is always printed.</summary>
internal static class PropertyCheck
{
    private const int Cases = 2000;

    public static void Hold<T>(Gen<T> values, Func<T, bool> property)
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        ulong seed = given is null
            ? (ulong)Random.Shared.NextInt64()
            : ulong.Parse(given, NumberStyles.None, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        var replay = new Replay(new Rnd(seed), FSharpOption<int>.None);
        Config config = Config.QuickThrowOnFailure
            .WithMaxTest(Cases)
            .WithQuietOnSuccess(true)
            .WithReplay(FSharpOption<Replay>.Some(replay));
        Check.One(config, Prop.ForAll(values.ToArbitrary(), property));
    }
}
