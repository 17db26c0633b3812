using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>Datagrams that belong to no stream.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct ForeignCounters
{
    public long Others { get; private set; }

    public long Unknowns { get; private set; }

    public long Corrupted { get; private set; }

    public readonly long Count => Others + Unknowns + Corrupted;

    public void Add(TestDatagramKind kind)
    {
        switch (kind)
        {
            case TestDatagramKind.Unknown:
                Unknowns++;
                break;
            case TestDatagramKind.Corrupted:
                Corrupted++;
                break;
            default:
                Others++;
                break;
        }
    }

    public void Add(in ForeignCounters other)
    {
        Others += other.Others;
        Unknowns += other.Unknowns;
        Corrupted += other.Corrupted;
    }
}
