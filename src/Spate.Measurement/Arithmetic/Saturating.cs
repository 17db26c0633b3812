namespace Spate.Measurement.Arithmetic;

/// <summary>
/// Sums and products of counts that remote senders can drive up. They stop at the largest value instead of turning
/// negative.
/// </summary>
internal static class Saturating
{
    /// <summary>The sum of two counts that are not negative.</summary>
    public static long Add(long left, long right)
    {
        long sum = unchecked(left + right);
        return sum < 0 ? long.MaxValue : sum;
    }

    /// <summary>The product of two counts that are not negative.</summary>
    public static long Multiply(long left, long right) =>
        Math.BigMul(left, right, out long low) == 0 && low >= 0 ? low : long.MaxValue;
}
