using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class StreamIndexTests
{
    [Fact]
    public void Operations_AtRandom_AgreeWithADictionary()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 200; round++)
        {
            var index = new StreamIndex(random.Next(1, 40));
            var model = new Dictionary<ulong, int>();
            for (int step = 0; step < 500; step++)
            {
                ulong id = (ulong)random.Next(60);
                if (model.ContainsKey(id) && random.Next(2) == 0)
                {
                    index.Remove(id);
                    model.Remove(id);
                }
                else if (model.Count < index.Capacity && model.TryAdd(id, step))
                {
                    index.Add(id, step);
                }

                if (step % 16 == 0) AssertSame(model, index);
            }
        }
    }

    [Fact]
    public void Add_FullOrKnown_Throws()
    {
        var index = new StreamIndex(2);
        index.Add(7, 0);
        Assert.Throws<InvalidOperationException>(() => index.Add(7, 1));
        index.Add(8, 1);
        Assert.Throws<InvalidOperationException>(() => index.Add(9, 2));
        Assert.Throws<InvalidOperationException>(() => index.Remove(9));
        Assert.Equal(2, index.Count);
    }

    private static void AssertSame(Dictionary<ulong, int> model, StreamIndex index)
    {
        Assert.Equal(model.Count, index.Count);
        for (ulong id = 0; id < 60; id++)
        {
            Assert.Equal(model.TryGetValue(id, out int expected), index.TryGet(id, out int actual));
            Assert.Equal(model.ContainsKey(id) ? expected : -1, actual);
        }
    }
}
