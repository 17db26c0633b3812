namespace Spate.Gateway.Format;

/// <summary>What is told of a message that cannot be read.</summary>
internal static class FormatFaultText
{
    /// <summary>The fault as a part of a sentence. Nothing of the message itself is in it.</summary>
    public static string Of(FormatFault fault) => fault switch
    {
        FormatFault.None => "nothing is wrong",
        FormatFault.TooShort => "it is shorter than a prefix",
        FormatFault.Magic => "it does not begin with SPGW",
        FormatFault.Version => "its version is not 1: read it with a newer spate",
        FormatFault.Kind => "it is neither records nor an accounting message",
        FormatFault.PrefixLength => "its prefix does not end where it says",
        FormatFault.Id => "its gateway id is empty, too long or no UTF-8",
        FormatFault.LocalEndPoints => "its local end points cannot be read",
        FormatFault.BodyLength => "its body has another length than it says",
        FormatFault.Sequence => "its sequence number or count is too large",
        FormatFault.Time => "its times cannot be",
        FormatFault.Record => "one of its records cannot be read",
        FormatFault.Rest => "its records end before it does",
        FormatFault.AccountingTotals => "its totals or dropped ranges cannot be",
        _ => $"fault {(int)fault}",
    };
}
