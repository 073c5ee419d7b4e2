namespace Geo.Messaging;

/// <summary>What both sides of a link agreed on in the handshake.</summary>
/// <param name="Number">The dialler's number for the link.</param>
/// <param name="Plan">The connections that it may have.</param>
/// <param name="Version">The wire version.</param>
/// <param name="RemoteTakesBytes">The largest payload that the remote takes.</param>
/// <param name="RemoteGathersBytes">The most bytes of large messages that the remote gathers for one lane.</param>
internal sealed record LinkTerms(ulong Number, LanePlan Plan, int Version, int RemoteTakesBytes, int RemoteGathersBytes);
