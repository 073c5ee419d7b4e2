namespace Geo.Messaging;

/// <summary>
/// Requests by number. The table gives the numbers out: a number's low bits are its place, and numbers whose place is taken are skipped, so
/// that neither adding nor finding one needs a hash. Not thread-safe.
/// </summary>
internal sealed class NumberedRequests
{
    private const int FirstPlaces = 64;

    private PendingRequest?[] _places = new PendingRequest?[FirstPlaces];
    private ulong _lastNumber;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a request and gives it a number that none had before.</summary>
    public void Add(PendingRequest request)
    {
        if (Count >= _places.Length / 2)
        {
            Grow();
        }

        do
        {
            _lastNumber++;
        }
        while (PlaceOf(_lastNumber) is not null);

        request.Number = _lastNumber;
        PlaceOf(_lastNumber) = request;
        Count++;
    }

    /// <summary>Takes the request of a number out; null when it is not there.</summary>
    public PendingRequest? Remove(ulong number)
    {
        ref var place = ref PlaceOf(number);
        if (place is not { } request || request.Number != number)
        {
            return null;
        }

        place = null;
        Count--;
        return request;
    }

    /// <summary>All that are there, in no order.</summary>
    public IEnumerable<PendingRequest> All => _places.OfType<PendingRequest>();

    private ref PendingRequest? PlaceOf(ulong number) => ref _places[number & (ulong)(_places.Length - 1)];

    private void Grow()
    {
        var all = All.ToArray();
        _places = new PendingRequest?[2 * _places.Length];
        foreach (var request in all)
        {
            PlaceOf(request.Number) = request;
        }
    }
}
