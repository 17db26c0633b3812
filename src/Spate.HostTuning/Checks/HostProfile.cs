namespace Spate.HostTuning.Checks;

/// <summary>What a host is to be fit for.</summary>
internal enum HostProfile
{
    /// <summary>Links up to 1 Gbit/s.</summary>
    OneGigabit,

    /// <summary>Links up to 10 or 25 Gbit/s.</summary>
    TenGigabit,

    /// <summary>Links up to 40 or 50 Gbit/s.</summary>
    FortyGigabit,

    /// <summary>Links of 100 Gbit/s and more.</summary>
    HundredGigabit,

    /// <summary>Short round trips rather than a high rate.</summary>
    Latency,
}
