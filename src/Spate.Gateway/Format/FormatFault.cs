namespace Spate.Gateway.Format;

/// <summary>Why the bytes of a message cannot be believed.</summary>
internal enum FormatFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>It is shorter than the fixed part of a prefix.</summary>
    TooShort,

    /// <summary>It does not begin with SPGW.</summary>
    Magic,

    /// <summary>It has another version than 1.</summary>
    Version,

    /// <summary>It is neither records nor an accounting message.</summary>
    Kind,

    /// <summary>The prefix does not end where it says, or not within the message.</summary>
    PrefixLength,

    /// <summary>The gateway's id is empty, too long or no UTF-8.</summary>
    Id,

    /// <summary>The local end points are none, too many, or of an unknown family.</summary>
    LocalEndPoints,

    /// <summary>The body is longer or shorter than the prefix says.</summary>
    BodyLength,

    /// <summary>A sequence number or a count is too large.</summary>
    Sequence,

    /// <summary>A time is negative, or the last is before the first.</summary>
    Time,

    /// <summary>A record does not end within the body, has unknown flags or names no local end point.</summary>
    Record,

    /// <summary>The records end before the body does.</summary>
    Rest,

    /// <summary>An accounting message has too many ranges, or one that cannot be.</summary>
    AccountingTotals,
}
