using System.Text.Json.Serialization;

namespace Spate.Measurement.Pacing;

/// <summary>How a sender waits for the moment at which datagrams are due.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PaceMode>))]
internal enum PaceMode
{
    /// <summary>
    /// The thread sleeps until the datagrams of 250 µs are due, and sends them at once. It costs little CPU time. A
    /// sleep that ends late is made up for with bursts of at most 500 µs, larger ones from a delay of
    /// <see cref="RatePacer.SmoothSeconds"/> on. Linux; elsewhere it sleeps in whole milliseconds, spins for the rest,
    /// and sends bursts of at most 1 ms.
    /// </summary>
    Sleep,

    /// <summary>The thread looks at the clock until the next datagram is due. It takes a whole CPU.</summary>
    Spin,

    /// <summary>
    /// The thread hands datagrams over a millisecond ahead, in GSO messages of at most 50 µs. Each GSO message carries
    /// the time at which it is to leave (SO_TXTIME), and the queueing discipline fq of the interface keeps it. Linux,
    /// where <see cref="TransmitTimeOffer"/> finds fq on the way to the target.
    /// </summary>
    Txtime,
}
