namespace Geo.Messaging.Overlays.Tests;

public sealed class OverlayMailboxTests
{
    private readonly List<Exception> _faults = [];
    private readonly OverlayMailbox _mailbox;

    public OverlayMailboxTests() => _mailbox = new(maxWaiting: 3, maxBytes: 1000, _faults.Add);

    [Fact]
    public void What_waits_behind_a_slow_handler_is_bounded_in_number_and_in_bytes()
    {
        List<int> ran = [];
        _mailbox.Post(() =>
        {
            Assert.True(_mailbox.TryPost(() => ran.Add(1), 600));
            Assert.False(_mailbox.TryPost(() => ran.Add(2), 600));
            Assert.True(_mailbox.TryPost(() => ran.Add(3), 400));
            Assert.True(_mailbox.TryPost(() => ran.Add(4), 0));
            Assert.False(_mailbox.TryPost(() => ran.Add(5), 0));
            _mailbox.Post(() => ran.Add(6));
        });

        Assert.Empty(_faults);
        Assert.Equal([1, 3, 4, 6], ran);
        Assert.True(_mailbox.TryPost(() => ran.Add(7), 1000));
        Assert.Equal(7, ran[^1]);
    }

    [Fact]
    public void What_one_throws_stops_none_behind_it_and_is_told()
    {
        List<int> ran = [];
        _mailbox.Post(() =>
        {
            _mailbox.Post(() => ran.Add(1));
            throw new InvalidOperationException("first");
        });
        _mailbox.Post(() => ran.Add(2));

        Assert.Equal("first", Assert.Single(_faults).Message);
        Assert.Equal([1, 2], ran);
    }

    [Fact]
    public void One_of_any_size_is_let_in_where_nothing_waits() => Assert.True(_mailbox.TryPost(() => { }, 5000));
}
