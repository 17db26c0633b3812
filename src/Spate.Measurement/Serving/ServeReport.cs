using System.Text.Json.Serialization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>The report of a server, kind <c>serve</c>: a receiver's, and what its threads did.</summary>
public sealed record ServeReport : EndReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "serve";

    /// <summary>What was done with datagrams, as <c>count</c>.</summary>
    public string App { get; set; } = "";

    /// <summary>The server's design, as <c>one-by-one</c>.</summary>
    public string Design { get; set; } = "";

    /// <summary>Whether all datagrams of a peer were handled by one thread.</summary>
    public bool KeepsPeers { get; set; }

    /// <summary>Rounds of <see cref="WorkLoad"/> per datagram.</summary>
    public int WorkRounds { get; set; }

    /// <summary>What a round cost on this machine; null where none was asked for.</summary>
    public double? WorkNanosecondsPerRound { get; set; }

    /// <summary>
    /// Different numbered datagrams that were handled, and, where senders of smaller ones announced how many they sent,
    /// of those without numbers at most as many.
    /// </summary>
    public long Processed { get; set; }

    /// <summary>
    /// How many their senders had sent, by their numbers and announcements: those that were lost, and those before the
    /// first that arrived, included.
    /// </summary>
    public long ProcessedOf { get; set; }

    /// <summary>
    /// <see cref="Processed"/> in percent of <see cref="ProcessedOf"/>; null where nothing was numbered or announced.
    /// </summary>
    public double? ProcessedPercent { get; set; }

    /// <summary>Of the streams, those whose senders announced the end and the total.</summary>
    public long EndedStreams { get; set; }

    /// <summary>
    /// Senders that counted as ended because nothing had come from them for <see cref="PatienceSeconds"/>, though they
    /// never announced it; those of datagrams without numbers cannot be told apart and count as one. Not among
    /// <see cref="EndedStreams"/>. 0 where the run ended for another reason.
    /// </summary>
    public long SilentSenders { get; set; }

    /// <summary>How long a silent sender was waited for; null where the run was not to end with its senders.</summary>
    public double? PatienceSeconds { get; set; }

    /// <summary>CPU nanoseconds of the process per datagram handled; written, not read.</summary>
    public double CpuNanosecondsPerDatagram =>
        Statistics.Ratio(1e9 * (CpuUserSeconds + CpuSystemSeconds), Datagrams);

    /// <summary>
    /// Datagrams that the system accepted: answers, or forwarded ones, counted for each destination.
    /// </summary>
    public long Sent { get; set; }

    /// <summary>Datagrams given up because the send buffer stayed full.</summary>
    public long SendDropped { get; set; }

    /// <summary>Datagrams not answered or forwarded for a reason of the application.</summary>
    public long Unanswered { get; set; }

    /// <summary>Exceptions that handlers threw.</summary>
    public long HandlerFaults { get; set; }

    /// <summary>Datagrams of batches in which a handler threw.</summary>
    public long DatagramsFaulted { get; set; }

    /// <summary>What was turned away while the server ended, as <see cref="EndReport.KernelDrops"/>.</summary>
    public long? TurnedAwayAtEnd { get; set; }

    /// <summary>Interrupts of the whole machine per second; null where the system does not tell.</summary>
    public double? InterruptsPerSecond { get; set; }

    /// <summary>
    /// Memory of the process that cannot be swapped out, at most (VmLck and VmPin); null where the system does not
    /// tell.
    /// </summary>
    public long? LockedBytes { get; set; }

    /// <summary>How much it may lock (RLIMIT_MEMLOCK); null for no limit or where the system does not tell.</summary>
    public long? LockedLimitBytes { get; set; }

    /// <summary>The server's threads, the one that receives for others first.</summary>
    [JsonPropertyOrder(3)]
    public ServeThreadReport[] Threads { get; set; } = [];
}
