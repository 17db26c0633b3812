namespace Spate.Gateway.Format;

/// <summary>Where the fields lie in the body of an accounting message, and in a range.</summary>
internal static class AccountingLayout
{
    public const int CommittedAt = 0;
    public const int DroppedWindowFullAt = 8;
    public const int DroppedRefusedAt = 16;
    public const int DroppedOversizedAt = 24;
    public const int DroppedShutdownAt = 32;
    public const int NotAllowedAt = 40;
    public const int KernelDropsAt = 48;
    public const int KernelDropUnitAt = 56;

    public const int RangeCountAt = 8;
    public const int RangeReasonAt = 16;
}
