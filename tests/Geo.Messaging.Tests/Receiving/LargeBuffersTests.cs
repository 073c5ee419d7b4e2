namespace Geo.Messaging.Tests;

public sealed class LargeBuffersTests
{
    private const int Megabyte = 1024 * 1024;

    [Fact]
    public void A_buffer_that_was_given_back_serves_the_next_of_about_its_size()
    {
        var buffers = new LargeBuffers(16 * Megabyte);
        var buffer = buffers.Rent(1_000_000);
        buffers.Return(buffer);
        Assert.Equal(buffer.Length, buffers.KeptBytes);

        Assert.Same(buffer, buffers.Rent(buffer.Length));
        Assert.NotSame(buffer, buffers.Rent(1_000_000));
        Assert.Equal(0, buffers.KeptBytes);
    }

    [Theory]
    [InlineData(1, 64 * 1024)]
    [InlineData(64 * 1024, 64 * 1024)]
    [InlineData(512 * 1024, 512 * 1024)]
    [InlineData(8 * Megabyte, 8 * Megabyte)]
    [InlineData((8 * Megabyte) + 1, 10 * Megabyte)]
    public void A_buffer_is_little_larger_than_what_was_asked_for(int bytes, int size) =>
        Assert.Equal(size, new LargeBuffers(0).Rent(bytes).Length);

    [Fact]
    public void No_more_is_kept_than_is_allowed_whatever_the_sizes_are()
    {
        var buffers = new LargeBuffers(4 * Megabyte);
        byte[][] rented = [buffers.Rent(3 * Megabyte), buffers.Rent(2 * Megabyte), buffers.Rent(Megabyte), buffers.Rent(2 * Megabyte)];

        Assert.All(rented, buffer => buffers.Return(buffer));

        Assert.Equal(4 * Megabyte, buffers.KeptBytes);
    }

    [Fact]
    public void What_is_not_of_the_pool_is_not_taken_in()
    {
        var buffers = new LargeBuffers(4 * Megabyte);

        buffers.Return(new byte[Megabyte + 1]);

        Assert.Equal(0, buffers.KeptBytes);
    }

    [Fact]
    public void What_nobody_needs_is_let_go_and_what_is_used_stays()
    {
        var buffers = new LargeBuffers(64 * Megabyte);
        byte[][] rented = [.. Enumerable.Range(0, 20).Select(_ => buffers.Rent(Megabyte))];
        Assert.All(rented, buffer => buffers.Return(buffer));
        buffers.Trim();
        Assert.Equal(20 * Megabyte, buffers.KeptBytes);

        var used = buffers.Rent(Megabyte);
        for (var i = 0; i < 100; i++)
        {
            buffers.Return(used);
            buffers.Trim();
            used = buffers.Rent(Megabyte);
        }

        Assert.Contains(rented, buffer => buffer == used);
        Assert.Equal(0, buffers.KeptBytes);
    }
}
