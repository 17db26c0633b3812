using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf;

/// <summary>
/// Hears of tests by either protocol of iperf: that they start, their intervals, their end, and what else there is to
/// know. There is one call at a time, from the thread that runs the end; a client of iperf 2 that is sent something
/// back calls from a second thread too.
/// </summary>
internal interface IIperfObserver
{
    /// <summary>What was written so far, for a client that asked for it; null where it is JSON.</summary>
    string? OutputText => null;

    /// <summary>What was written so far, for a client that asked for it; null where it is text.</summary>
    string? OutputJson => null;

    void Tell(IperfEvent news);
}

/// <summary>An event of a test. Its end belongs to the protocol, since iperf 2 ends each flow by itself.</summary>
internal abstract record IperfEvent;

/// <summary>A test begins to move data, or with iperf 2 flows of it do.</summary>
internal record IperfTest : IperfEvent
{
    /// <summary>In the order of their beginning.</summary>
    public required IReadOnlyList<IperfStream> Streams { get; init; }
}

/// <summary>The counts of a part of a test, or with iperf 2 of the whole test.</summary>
/// <param name="StartSeconds">Since the start of the test or the end of what is omitted.</param>
/// <param name="Rows">Those of streams in the order of their beginning.</param>
internal sealed record IperfInterval(double StartSeconds, double EndSeconds, IReadOnlyList<IperfRow> Rows) : IperfEvent
{
    /// <summary>Whether it is left out of the results.</summary>
    public bool IsOmitted { get; init; }

    public double Seconds => EndSeconds - StartSeconds;
}

/// <summary>
/// Something to know, in one line. By iperf3's protocol it is why a test, which may not have begun, could not go on,
/// and may hold text of a stranger; by iperf 2's it holds none but addresses.
/// </summary>
internal sealed record IperfMessage(string Text) : IperfEvent;

/// <summary>One stream of a test, as one end of it knows it.</summary>
/// <param name="Number">With iperf3 known by both ends: 1, 3, 4 and so on; 2 is never used (iperf_api.c).</param>
internal sealed record IperfStream(int Number, UdpEndPoint Local, UdpEndPoint Remote)
{
    /// <summary>Whether this end sends.</summary>
    public bool Sends { get; init; }

    /// <summary>Whether a server of iperf 2 sends it back to a client that asked for it.</summary>
    public bool IsReverse { get; init; }
}

/// <summary>A line of an interval.</summary>
/// <param name="Number">The stream's number; null for the sum of all of them.</param>
/// <param name="Sends">Whether this end sends, so that it knows of no loss.</param>
internal sealed record IperfRow(int? Number, bool Sends, IperfCounts Counts);

/// <summary>
/// What one end counted of a stream as both programs do: a copy counts as out of order, each datagram out of order
/// takes one from the loss, and a loss at the tail is not seen. With iperf 2, the datagram that ends a flow is one of
/// its datagrams. Without what was omitted, where it is of a whole test.
/// </summary>
/// <param name="Lost">
/// Gaps in the numbers less what was out of order; with iperf3 below zero where more was taken back in an interval than
/// was lost in it.
/// </param>
/// <param name="Total">Datagrams sent, or for the receiver the growth of the highest number.</param>
/// <param name="OutOfOrder">Datagrams that came with a number at or below the highest one before.</param>
/// <param name="JitterSeconds">Smoothed as in RFC 1889, A.8, at the end of the time.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct IperfCounts(long Bytes, long Lost, long Total, long OutOfOrder, double JitterSeconds);
