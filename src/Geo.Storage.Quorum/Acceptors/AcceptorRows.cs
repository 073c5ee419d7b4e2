namespace Geo.Storage.Quorum;

/// <summary>What becomes of an acceptor's rows.</summary>
internal enum AcceptorRows : byte
{
    /// <summary>They are what it has promised and accepted.</summary>
    Used,

    /// <summary>They are being deleted.</summary>
    Clearing,

    /// <summary>They are gone, and nothing was accepted since.</summary>
    Cleared,
}
