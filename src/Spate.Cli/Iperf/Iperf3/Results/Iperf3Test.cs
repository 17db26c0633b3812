using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Results;

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
