using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// The session of the present call, in its <see cref="RequestContext"/>: reads and updates of versioned grains that name no session of
/// their own use it. A caller sets it before the call and takes the token of the result, which <see cref="GeoSession"/> keeps.
/// </summary>
public static class SessionContext
{
    /// <summary>
    /// The token: in a grain, that of its caller; set, that of the calls made from here on. <see cref="SessionToken.None"/> for no session.
    /// </summary>
    /// <exception cref="FormatException">The caller has sent something else.</exception>
    public static SessionToken Token
    {
        get => SessionToken.Parse(RequestContext.Get(GeoSession.ContextKey) as string);
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            if (value.IsNone)
            {
                RequestContext.Remove(GeoSession.ContextKey);
            }
            else
            {
                RequestContext.Set(GeoSession.ContextKey, value.ToString());
            }
        }
    }
}
