using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Finds figures of the other end that no path and no way of counting can explain.</summary>
internal static class FigureCheck
{
    // A path may copy datagrams, but hardly each of them more often than this.
    private const int MaxCopies = 3;

    /// <param name="numbered">The datagrams of all streams that this end has given a number.</param>
    /// <param name="hasOmitted">Each end omits what it had counted by then; versions differ in the rest.</param>
    public static bool IsImpossible(
        bool sends, Iperf3StreamResult ours, Iperf3StreamResult theirs, long numbered, bool hasOmitted)
    {
        if (theirs.HasNegative) return true;
        if (hasOmitted) return false;
        if (sends && (theirs.Errors > theirs.Packets || theirs.Packets > numbered)) return true;

        (long sent, long received) = sends ? (ours.Bytes, theirs.Bytes) : (theirs.Bytes, ours.Bytes);
        return received / MaxCopies > sent;
    }
}
