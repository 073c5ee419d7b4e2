namespace Geo.Directory.Tests;

public sealed class GsiEntryTests
{
    private static readonly GsiEntry Entry = new()
    {
        State = GsiState.Loser,
        Node = "us/1",
        Epoch = long.MaxValue,
        Round = -1,
        Basis = new RoundBasis(3, 4),
        Deadline = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(1),
        HasInstance = true,
        Owner = new ClusterId("eu"),
        OwnerNode = "eu/1",
    };

    [Fact]
    public void A_row_is_read_as_it_was_written()
    {
        Assert.Equal(Entry, GsiEntry.Decode(Entry.Encode()));
        var least = new GsiEntry { State = GsiState.Owned, Node = "us/1" };
        Assert.Equal(least, GsiEntry.Decode(least.Encode()));
    }

    [Fact]
    public void A_row_that_is_cut_off_damaged_or_of_a_later_version_is_refused()
    {
        var bytes = Entry.Encode();
        for (var length = 0; length < bytes.Length; length++)
        {
            Assert.Throws<GeoSerializationException>(() => GsiEntry.Decode(bytes.AsSpan(0, length)));
        }

        Assert.Throws<GeoSerializationException>(() => GsiEntry.Decode([(byte)(bytes[0] + 1), .. bytes.AsSpan(1)]));
        Assert.Throws<GeoSerializationException>(() => GsiEntry.Decode([bytes[0], 0, .. bytes.AsSpan(2)]));
        Assert.Throws<GeoSerializationException>(() => GsiEntry.Decode([bytes[0], 6, .. bytes.AsSpan(2)]));
        Assert.Throws<GeoSerializationException>(() => GsiEntry.Decode((Entry with { Node = null }).Encode()));
    }

    [Fact]
    public void Any_bytes_are_read_or_refused_but_never_worse()
    {
        var random = new Random(1);
        var refused = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var bytes = Entry.Encode();
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            try
            {
                Assert.NotNull(GsiEntry.Decode(bytes));
            }
            catch (GeoSerializationException)
            {
                refused++;
            }
        }

        Assert.InRange(refused, 1, 19_999);
    }
}
