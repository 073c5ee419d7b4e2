namespace Geo.Orleans;

/// <summary>What of a session token travels.</summary>
[GenerateSerializer]
[Alias("geo.session-token")]
internal struct SessionTokenSurrogate
{
    [Id(0)]
    public string Text;
}
