namespace Spate.Measurement.Arithmetic;

/// <summary>
/// Sums and products of counts, none negative, that senders drive up: they stop at the largest value.
/// </summary>
internal static class Saturating
{
    public static long Add(long left, long right)
    {
        long sum = unchecked(left + right);
        return sum < 0 ? long.MaxValue : sum;
    }

    public static long Multiply(long left, long right) =>
        Math.BigMul(left, right, out long low) == 0 && low >= 0 ? low : long.MaxValue;
}
