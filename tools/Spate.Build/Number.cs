using System.CommandLine;
using System.Numerics;

namespace Spate.Build;

/// <summary>Options that are numbers of a range.</summary>
internal static class Number
{
    /// <summary>Twelve days, which timers can wait.</summary>
    public const int MaxSeconds = 1_000_000;

    /// <param name="name">The name with its dashes.</param>
    /// <param name="description">Its meaning, for the help.</param>
    /// <param name="min">The least number that is taken.</param>
    /// <param name="max">The greatest one.</param>
    /// <param name="value">The number if none is given; null if one must be given.</param>
    public static Option<T> Option<T>(string name, string description, T min, T max, T? value = null)
        where T : struct, INumber<T>
    {
        var option = new Option<T>(name)
        {
            Description = description,
            Required = value is null,
        };
        if (value is { } one) option.DefaultValueFactory = _ => one;
        option.Validators.Add(result =>
        {
            foreach (var token in result.Tokens)
            {
                if (!T.TryParse(token.Value, provider: null, out T number) || number < min || number > max)
                {
                    result.AddError($"{name} {token.Value}: expected a number from {min} to {max}");
                }
            }
        });
        return option;
    }
}
