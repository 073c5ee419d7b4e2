namespace Geo.Messaging;

/// <summary>A large message that is being gathered, waits for another of its key or for its handler, or is being handled.</summary>
internal sealed class IncomingMessage(LargeInbox inbox, ulong number, int total) : HeldMessage(inbox, total)
{
    private bool[] _begun = [];
    private int _missing = PieceHeader.UnitsOf(total);

    public ulong Number { get; } = number;

    /// <summary>True when there was no memory for it: its pieces are thrown away, and its sender is told when all have come.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>True while it must not be handed over: another of its key comes first, or it is being handed over already.</summary>
    public bool Waits { get; set; }

    /// <summary>True once it is its handler's, which releases it.</summary>
    public bool IsHandedOver { get; set; }

    /// <summary>What is handed over after it, in order: large messages and frames of small ones.</summary>
    public Queue<HeldMessage> Followers { get; } = new();

    /// <summary>
    /// What is still to happen before its sender is told: its handler begins, it holds nothing back any more, and the handlers of the small
    /// ones that it held back begin. The inbox's own.
    /// </summary>
    public int Awaited { get; set; } = 2;

    /// <summary>True when it is announced, whole, and nothing comes first.</summary>
    public bool IsReady => IsWhole && Header != default && !Waits;

    public bool IsWhole => _missing == 0;

    public bool HasNothing => _begun.Length == 0;

    public void Gather(byte[]? buffer)
    {
        Keep(buffer);
        IsRefused = buffer is null;
        _begun = new bool[PieceHeader.UnitsOf(Bytes)];
    }

    /// <summary>Gives the place of a piece; false when it has begun to come before.</summary>
    public bool TryBegin(PieceHeader piece, out Memory<byte> into)
    {
        into = Buffer is null ? LargeInbox.Discarded.AsMemory(0, piece.Length) : Buffer.AsMemory(piece.Offset, piece.Length);
        var units = _begun.AsSpan(piece.Place);
        if (units.Contains(true))
        {
            return false;
        }

        units.Fill(true);
        return true;
    }

    public void NoteArrived(PieceHeader piece) => _missing -= PieceHeader.UnitsOf(piece.Length);
}
