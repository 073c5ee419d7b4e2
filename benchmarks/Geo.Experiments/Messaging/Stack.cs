namespace Geo.Experiments.Messaging;

/// <summary>What carries the messages.</summary>
internal enum Stack
{
    /// <summary>The socket program that stands beside.</summary>
    Plain,

    /// <summary>Geo.Messaging.</summary>
    Geo,

    /// <summary>Orleans, from one silo to another.</summary>
    Orleans,
}
