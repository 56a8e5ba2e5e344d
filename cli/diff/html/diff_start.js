surface.ready = start().catch(error => {
  say("this page cannot be shown: " + error.message);
  throw error;
});
