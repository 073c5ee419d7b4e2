using Geo.Consistency;

namespace WebShop;

/// <summary>
/// A user's session over HTTP: the token comes with a request in the header <see cref="GeoSession.Header"/> and goes back with the answer,
/// so that whichever region the next request comes to shows what the user has written and read.
/// </summary>
internal static class WebSession
{
    /// <summary>Takes the request's token for the calls that its endpoint makes; a request without one begins a session.</summary>
    public static async ValueTask<object?> BeginAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var http = context.HttpContext;
        if (!SessionToken.TryParse(http.Request.Headers[GeoSession.Header], out var token))
        {
            return Results.Problem($"{GeoSession.Header} is not a token of this shop.", statusCode: StatusCodes.Status400BadRequest);
        }

        http.Features.Set(new GeoSession(SessionContext.Token = token));
        try
        {
            return await next(context);
        }
        catch (Exception e) when (e is SessionLostException or GeoOutcomeUnknownException && token != SessionToken.None)
        {
            // What the token names is gone, or not known here in time. The client goes on as another session: without the header.
            return Results.Problem(e.Message, statusCode: StatusCodes.Status410Gone);
        }
    }

    /// <summary>Gives back what a call has seen or written, with the session's token in the answer's header.</summary>
    public static T Told<T>(this HttpContext http, T result, SessionToken received)
    {
        var session = http.Features.Get<GeoSession>()!;
        session.Take(SessionContext.Token, received);
        http.Response.Headers[GeoSession.Header] = session.Token.ToString();
        return result;
    }
}
