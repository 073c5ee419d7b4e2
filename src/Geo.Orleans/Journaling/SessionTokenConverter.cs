using Geo.Consistency;

namespace Geo.Orleans;

[RegisterConverter]
internal sealed class SessionTokenConverter : IConverter<SessionToken, SessionTokenSurrogate>
{
    public SessionToken ConvertFromSurrogate(in SessionTokenSurrogate surrogate) => SessionToken.Parse(surrogate.Text);

    public SessionTokenSurrogate ConvertToSurrogate(in SessionToken value) => new() { Text = value.ToString() };
}
