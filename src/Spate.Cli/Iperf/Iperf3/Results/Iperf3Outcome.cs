using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What both ends say at the end of a test.</summary>
internal sealed record Iperf3Outcome
{
    /// <summary>In the order of <see cref="Iperf3Test.Streams"/>.</summary>
    public required IReadOnlyList<Iperf3StreamOutcome> Streams { get; init; }

    public required Iperf3Cpu LocalCpu { get; init; }

    public required Iperf3Cpu RemoteCpu { get; init; }

    /// <summary>What the server has printed, a stranger's text; null if it was not asked for or JSON.</summary>
    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    public required IReadOnlyList<Iperf3Direction> Directions { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    public required TestEndReport Local { get; init; }

    /// <summary>What the other end measured; null where it is iperf3.</summary>
    public TestEndReport? Remote { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(Iperf3Outcome),
        PrintMembers,
        (nameof(Streams), Streams),
        (nameof(Directions), Directions),
        (nameof(Notes), Notes));
}

/// <summary>What both ends counted of a stream, without what was omitted.</summary>
internal sealed record Iperf3StreamOutcome
{
    public required Iperf3Counts Sent { get; init; }

    public required double SentSeconds { get; init; }

    public required Iperf3Counts Received { get; init; }

    public required double ReceivedSeconds { get; init; }
}

/// <summary>
/// What became of one direction's datagrams, omitted ones included. Where the receiver is iperf3, its bytes tell how
/// many arrived, copies included.
/// </summary>
internal sealed record Iperf3Direction
{
    /// <summary>Whether the receiver is this program, so that the figures are exact.</summary>
    public required bool IsExact { get; init; }

    /// <summary>Datagrams that the sender's system took.</summary>
    public required long Sent { get; init; }

    /// <summary>
    /// A loss at the tail is in it, except where the server sends to an iperf3: that sender goes on until it hears of
    /// the end, so <see cref="AfterEnd"/> is in no figure of it.
    /// </summary>
    public required TestDirectionReport Account { get; init; }

    /// <summary>Copies that arrived; null where the receiver is iperf3, which cannot tell.</summary>
    public required long? Duplicated { get; init; }

    /// <summary>Datagrams after one with a higher number; null where the receiver is iperf3.</summary>
    public required long? Reordered { get; init; }

    /// <summary>
    /// Datagrams in no figure of iperf3: above the highest number that it knows, since they left or arrived after the
    /// end was told, or were lost at the tail.
    /// </summary>
    public required long AfterEnd { get; init; }

    public required long ReferenceLost { get; init; }

    /// <summary>Datagrams out of order by iperf3's way of counting, copies included.</summary>
    public required long ReferenceOutOfOrder { get; init; }

    /// <summary>The datagrams that iperf3's way of counting knows of: the receiver's highest number.</summary>
    public required long ReferencePackets { get; init; }
}

/// <summary>A test that has been agreed on and whose streams exist.</summary>
internal sealed record Iperf3Test
{
    public required bool IsClient { get; init; }

    /// <summary>The length is never 0.</summary>
    public required Iperf3Parameters Parameters { get; init; }

    /// <summary>36 characters, for a server those that a stranger sent.</summary>
    public required string Cookie { get; init; }

    /// <summary>Of the control connection, as <see cref="Remote"/>; both are IPv4 where they can be.</summary>
    public required IPEndPoint Local { get; init; }

    public required IPEndPoint Remote { get; init; }

    /// <summary>The MSS of the control connection; 0 where it is not known.</summary>
    public required int MaxSegmentBytes { get; init; }

    public required DateTimeOffset StartedAt { get; init; }

    /// <summary>In the order of their beginning.</summary>
    public required IReadOnlyList<Iperf3Stream> Streams { get; init; }

    public required int SendBufferBytes { get; init; }

    public required int ReceiveBufferBytes { get; init; }

    public override string ToString() => RecordText.Of(nameof(Iperf3Test), PrintMembers, (nameof(Streams), Streams));
}

/// <summary>One stream of a test.</summary>
/// <param name="Id">Known by both ends: 1, 3, 4 and so on; 2 is never used (iperf_api.c).</param>
internal sealed record Iperf3Stream(int Id, bool Sends, IPEndPoint Local, IPEndPoint Remote);

/// <summary>What this end counted in an interval.</summary>
/// <param name="StartSeconds">Since the start of the test or the end of what is omitted.</param>
/// <param name="Streams">In the order of <see cref="Iperf3Test.Streams"/>.</param>
internal sealed record Iperf3Interval(
    double StartSeconds, double EndSeconds, bool IsOmitted, IReadOnlyList<Iperf3Counts> Streams)
{
    public double Seconds => EndSeconds - StartSeconds;

    public override string ToString() => RecordText.Of(
        nameof(Iperf3Interval), PrintMembers, (nameof(Streams), Streams));
}

/// <summary>
/// What one end counted of a stream as iperf3 does (iperf_udp.c): a reordered datagram is lost and then taken back, a
/// copy too, and a loss at the tail is not seen. Without what was omitted, where it is of a whole test.
/// </summary>
internal sealed record Iperf3Counts
{
    public long Bytes { get; init; }

    /// <summary>Datagrams sent, or for the receiver the growth of the highest counter.</summary>
    public long Packets { get; init; }

    /// <summary>Datagrams that the receiver counts as lost; below zero where it took back more than it had.</summary>
    public long Lost { get; init; }

    /// <summary>Datagrams that came after one with a higher counter, copies included.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Smoothed as in RFC 1889, A.8, at the end of the time.</summary>
    public double JitterSeconds { get; init; }
}

/// <summary>Hears of one test, on the thread of its control.</summary>
internal interface IIperf3Observer
{
    /// <summary>What was written so far, for a client that asked for it; null where it is JSON.</summary>
    string? OutputText { get; }

    /// <summary>What was written so far, for a client that asked for it; null where it is text.</summary>
    string? OutputJson { get; }

    /// <summary>The test was agreed on, and its data begins.</summary>
    void Start(Iperf3Test test);

    void Report(Iperf3Interval interval);

    void Finish(Iperf3Outcome outcome);

    /// <summary>The test, which may not have begun, could not go on. The line may hold text of a stranger.</summary>
    void Fail(string message);
}
