namespace Spate.Diagnostics;

/// <summary>An object with counters that the meter adds up, such as a socket.</summary>
internal interface ICounterSource
{
    UdpCounters GetCounters();
}
