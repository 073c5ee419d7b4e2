namespace Geo.Messaging;

/// <summary>
/// Which large message sends its next piece: mostly the one with the fewest bytes left, so that a short one does not wait for the long
/// ones before it and those of equal length end one after another; every fourth time the one that has waited longest, so that none starves.
/// </summary>
internal sealed class Striping
{
    private const int PiecesPerOldest = 4;

    // In the order of their coming. Few: what is open at once is bounded.
    private readonly List<OutgoingMessage> _messages = [];
    private int _taken;

    public bool IsEmpty => _messages.Count == 0;

    public void Add(OutgoingMessage message) => _messages.Add(message);

    public int NextLength(int units) => new PieceHeader(Next().Taken, Next().Length, units).Length;

    public (OutgoingMessage Message, PieceHeader Piece) Take(int units)
    {
        var message = Next();
        _taken++;
        var piece = message.Take(units);
        if (message.IsTaken)
        {
            _messages.Remove(message);
        }

        return (message, piece);
    }

    public void Clear() => _messages.Clear();

    private OutgoingMessage Next()
    {
        var next = _messages[0];
        if (_taken % PiecesPerOldest != PiecesPerOldest - 1)
        {
            foreach (var message in _messages)
            {
                next = message.Length - message.Taken < next.Length - next.Taken ? message : next;
            }
        }

        return next;
    }
}
