namespace Spate.Measurement.Arithmetic;

/// <summary>
/// Sums of counts that remote senders can drive up. They stop at the largest value instead of turning negative.
/// </summary>
internal static class Saturating
{
    /// <summary>The sum of two counts that are not negative.</summary>
    public static long Add(long left, long right)
    {
        long sum = unchecked(left + right);
        return sum < 0 ? long.MaxValue : sum;
    }
}
