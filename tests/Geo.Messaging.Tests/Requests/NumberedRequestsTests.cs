namespace Geo.Messaging.Tests;

public sealed class NumberedRequestsTests
{
    private readonly NumberedRequests _requests = new();

    [Fact]
    public void A_request_is_found_once_by_the_number_that_it_was_given()
    {
        var added = Enumerable.Range(0, 1000).Select(_ => Add()).ToList();

        Assert.Equal(1000, _requests.Count);
        Assert.Equal(1000, added.Select(request => request.Number).Distinct().Count());
        foreach (var request in added)
        {
            Assert.Same(request, _requests.Remove(request.Number));
            Assert.Null(_requests.Remove(request.Number));
        }

        Assert.Equal(0, _requests.Count);
    }

    [Fact]
    public void Requests_that_wait_long_keep_their_places_while_others_come_and_go_and_no_number_is_given_twice()
    {
        var kept = Enumerable.Range(0, 40).Select(_ => Add()).ToList();
        var numbers = kept.Select(request => request.Number).ToHashSet();
        for (var round = 0; round < 10_000; round++)
        {
            var passing = Add();
            Assert.True(numbers.Add(passing.Number));
            Assert.Same(passing, _requests.Remove(passing.Number));
        }

        Assert.Equal(kept.Count, _requests.Count);
        Assert.Equal(kept.OrderBy(request => request.Number), _requests.All.OrderBy(request => request.Number));
        Assert.All(kept, request => Assert.Same(request, _requests.Remove(request.Number)));
    }

    [Fact]
    public void A_number_that_was_never_given_or_is_over_is_none()
    {
        var first = Add();
        _requests.Remove(first.Number);
        Add();

        Assert.Null(_requests.Remove(first.Number));
        Assert.Null(_requests.Remove(0));
        Assert.Null(_requests.Remove(ulong.MaxValue));
    }

    private PendingRequest Add()
    {
        var request = new PendingRequest(null!);
        _requests.Add(request);
        return request;
    }
}
