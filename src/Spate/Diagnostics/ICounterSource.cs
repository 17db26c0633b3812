namespace Spate.Diagnostics;

/// <summary>Something whose counters the meter adds up.</summary>
internal interface ICounterSource
{
    UdpCounters GetCounters();
}
