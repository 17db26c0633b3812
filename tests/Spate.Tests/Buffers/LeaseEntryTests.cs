using Spate.Buffers;

namespace Spate.Tests.Buffers;

public sealed class LeaseEntryTests
{
    private readonly SlotBufferPool _pool = new(slotBytes: 64, maxSpareCount: 1);

    [Fact]
    public void End_FirstTime_LetsTheBufferGo()
    {
        SlotBuffer buffer = _pool.Rent();
        LeaseEntry entry = LeaseEntry.Rent(buffer, out int version);
        Assert.True(buffer.IsShared);
        Assert.Same(buffer.Array, entry.ArrayOf(version));

        entry.End(version);

        Assert.False(buffer.IsShared);
        Assert.Null(entry.ArrayOf(version));
    }

    [Fact]
    public void End_SecondTimeByACopy_DoesNotTouchTheNextLease()
    {
        SlotBuffer first = _pool.Rent();
        LeaseEntry entry = LeaseEntry.Rent(first, out int staleVersion);
        entry.End(staleVersion);

        // Entries are shared by the process: rents until this one comes round, or gives up on it.
        SlotBuffer second = _pool.Rent();
        LeaseEntry again = LeaseEntry.Rent(second, out int version);
        again.End(staleVersion - 1);
        entry.End(staleVersion);

        Assert.True(second.IsShared);
        Assert.Same(second.Array, again.ArrayOf(version));
        Assert.Null(entry.ArrayOf(staleVersion));
        again.End(version);
        Assert.False(second.IsShared);
    }

    [Fact]
    public void End_ManyThreadsAtOnce_LetsGoOnce()
    {
        for (int round = 0; round < 2000; round++)
        {
            SlotBuffer buffer = _pool.Rent();
            LeaseEntry entry = LeaseEntry.Rent(buffer, out int version);
            buffer.AddRef();
            Parallel.For(0, 4, _ => entry.End(version));
            Assert.True(buffer.IsShared);
            buffer.Release();
            Assert.False(buffer.IsShared);
        }
    }

    [Fact]
    public void Release_DetachedBuffer_ComesBackToThePool()
    {
        SlotBuffer buffer = _pool.Rent();
        buffer.AddRef();
        buffer.Release();
        Assert.NotSame(buffer, _pool.Rent());

        buffer.Release();

        Assert.Same(buffer, _pool.Rent());
    }

    [Fact]
    public void Detach_NobodyHoldsIt_ComesBackAtOnceAndOnce()
    {
        SlotBuffer buffer = _pool.Rent();
        buffer.AddRef();
        buffer.Release();

        buffer.Release();

        Assert.Same(buffer, _pool.Rent());
        Assert.NotSame(buffer, _pool.Rent());
    }
}
