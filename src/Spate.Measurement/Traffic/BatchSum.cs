using System.Runtime.InteropServices;

namespace Spate.Measurement.Traffic;

/// <summary>The datagrams of one receive call that count.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchSum()
{
    public int Datagrams;
    public long Bytes;
    public int MinBytes = int.MaxValue;
    public int MaxBytes = -1;

    public void Add(int payloadBytes)
    {
        Datagrams++;
        Bytes += payloadBytes;
        MinBytes = Math.Min(MinBytes, payloadBytes);
        MaxBytes = Math.Max(MaxBytes, payloadBytes);
    }
}
